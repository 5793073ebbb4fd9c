import { expect } from '@jest/globals';
import { until } from '../server-process.js';
import type { Gates } from './gates.js';
import { AFTERWARDS, type Door, GO_AHEAD, type Moment, post, type Stage, WORDS } from './stage.js';

/** How a story is told. */
export interface Telling {
  readonly door: Door;
  readonly gates: Gates;
  /** Ends every wait. */
  readonly signal: AbortSignal;
  /** Asks the admin API. */
  ask<Body>(path: string): Promise<Body>;
  /** The server is killed and started again in the middle of this moment, which is there when its call is held, else when `isThere`. */
  cut(moment: Moment, isThere?: () => Promise<void>): Promise<void>;
  /** Somebody looks at what is to be seen now. */
  look?(when: string, conversation: string): Promise<void>;
}

interface Conversation {
  readonly state: string;
  readonly status: string;
  readonly control: { readonly state: string; readonly fault: unknown } | null;
}

/** From the opening of an issue to its end: what people see and do in the thread of its conversation, and what comes of it. */
export async function tell(stage: Stage, telling: Telling): Promise<string> {
  const conversation = await firstTurn(stage, telling);
  await secondTurn(stage, telling, conversation);
  await thirdTurn(stage, telling, conversation);
  await ending(stage, telling, conversation);
  return conversation;
}

/** The issue is opened, and the agent looks into it while people watch. */
async function firstTurn(stage: Stage, telling: Telling): Promise<string> {
  const { door, gates, signal, cut, look } = telling;
  const opened = await stage.open(door);
  expect(opened).toMatchObject({ disposition: 'routed', duplicate: false });
  const conversation = opened.deliveries?.[0]?.conversation ?? '';
  await look?.('opened', conversation);
  // A channel that does not edit has nothing to show before the turn is done.
  if (!stage.edits) gates.open(conversation, 'looking');
  await cut('thread', () => gates.reached(conversation, 'looking', signal));
  // Its provider may not have heard the answer.
  expect(await stage.open(door)).toMatchObject({ disposition: 'routed', duplicate: true });
  await cut('output');
  if (stage.edits) await isShown(stage, telling, (text) => text.startsWith(WORDS.first.slice(0, 40)));
  await look?.('looking', conversation);
  gates.open(conversation, 'looking');
  await isShown(stage, telling, (text) => text === WORDS.first);
  await stage.echo(door);
  return conversation;
}

/** A person answers in the thread, and is asked there about what the agent wants to do. */
async function secondTurn(stage: Stage, telling: Telling, conversation: string): Promise<void> {
  const { door, gates, signal, cut, look } = telling;
  const isSilent = stage.flags.length > 0;
  const words: string = isSilent ? WORDS.silentSecond : WORDS.second;
  await stage.say(door, GO_AHEAD);
  await cut('answer', () => gates.reached(conversation, 'working', signal));
  if (stage.edits && !isSilent) await isShown(stage, telling, (text) => words.startsWith(text));
  gates.open(conversation, 'working');
  for (const question of stage.questions) {
    const isFirst = question === stage.questions[0];
    if (isFirst) await cut('question');
    await isShown(stage, telling, (text) => /^A person is asked:/.test(text.replaceAll('**', '')) && question.test(text));
    if (question === stage.questions.at(-1)) await isShown(stage, telling, (text) => text === words);
    expect(stage.written()).toEqual([]);
    await look?.(isFirst ? 'asked' : 'asked to write', conversation);
    await post(door, stage.decide({ decision: 'approve' }));
  }
}

/** What was allowed is written once, its own callback wakes nobody, and the agent is told. */
async function thirdTurn(stage: Stage, telling: Telling, conversation: string): Promise<void> {
  const { door, gates, signal, cut, look } = telling;
  await cut('write', () => until(() => stage.written().length > 0, signal));
  await until(() => stage.written().length > 0, signal);
  const callbacks = await stage.echo(door);
  await look?.('written', conversation);
  expect(callbacks.map(({ disposition }) => disposition)).toEqual(['suppressed', 'suppressed']);
  await cut('outcome', () => gates.reached(conversation, 'reporting', signal));
  gates.open(conversation, 'reporting');
  await isShown(stage, telling, (text) => text === WORDS.third);
  await look?.('reported', conversation);
}

/** The issue is closed, and its conversation and thread with it. */
async function ending(stage: Stage, telling: Telling, conversation: string): Promise<void> {
  const { door, signal, ask, cut, look } = telling;
  const read = () => ask<Conversation>(`/v1/conversations/${conversation}`);
  expect(await stage.close(door)).toMatchObject({ disposition: 'lifecycle', duplicate: false });
  await cut('end', async () => undefined);
  await until(async () => (await read()).state === 'terminal' && stage.isArchived(), signal);
  await stage.say(door, AFTERWARDS);
  await until(() => stage.thread().length === stage.expected.length, signal);
  await until(async () => stage.isArchived() && (await read()).status === 'idle' && (await isQuiet(telling, conversation)), signal);
  await look?.('closed', conversation);
  expect(await read()).toMatchObject({ state: 'terminal', control: { state: 'closed', fault: null } });
}

function isShown(stage: Stage, { signal }: Telling, fits: (text: string) => boolean): Promise<void> {
  return until(() => stage.thread().some(({ by, text }) => by === 'agent' && fits(text)), signal);
}

/** Nothing waits to be written to the thread. */
async function isQuiet({ ask }: Telling, conversation: string): Promise<boolean> {
  const { items } = await ask<{ items: readonly { readonly conversation: string; readonly waiting: number }[] }>('/v1/controls');
  return items.every((each) => each.conversation !== conversation || each.waiting === 0);
}

/** One thread, one of each message, one write, and one turn of the same session for each of the three things that happened. */
export async function expectOnce(stage: Stage, { ask, gates }: Telling, conversation: string): Promise<void> {
  const shown = stage.thread().map(({ text }) => text);
  expect(shown).toEqual(stage.expected.map((each) => (each instanceof RegExp ? expect.stringMatching(each) : each)));
  expect(stage.thread().flatMap(({ buttons = [] }) => buttons)).toEqual([]);
  expect(stage.threads()).toBe(1);
  expect(stage.written()).toEqual([WORDS.report]);
  const whispers = stage.whispers();
  if (whispers)
    expect([...new Set(whispers)]).toEqual(stage.questions.map((question) => expect.stringMatching(`^Approved: .*${question.source}`)));
  const outcomes = stage.outcomes();
  if (outcomes) expect(outcomes).toEqual(stage.questions.map((question) => expect.stringMatching(`, and done: .*${question.source}`)));
  const { items: turns } = await ask<{ items: readonly { readonly state: string }[] }>(`/v1/conversations/${conversation}/turns`);
  expect(turns.filter(({ state }) => state === 'done')).toHaveLength(3);
  expect(turns.filter(({ state }) => state !== 'done' && state !== 'interrupted')).toEqual([]);
  expect(gates.notes(conversation).filter((note) => note === 'new')).toHaveLength(1);
  const { items } = await ask<{ items: readonly { readonly conversation: string; readonly status: string }[] }>(
    '/webhook-effects?status=all',
  );
  expect(items.filter((effect) => effect.conversation === conversation).map(({ status }) => status)).toEqual(['confirmed']);
  const { items: approvals } = await ask<{ items: readonly { readonly conversation: string; readonly state: string }[] }>('/v1/approvals');
  const own = approvals.filter((approval) => approval.conversation === conversation);
  expect(own.map(({ state }) => state)).toEqual(stage.questions.map(() => 'executed'));
}
