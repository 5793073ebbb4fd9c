import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AdminApi } from '../../src/cli/tail/admin-api.js';
import { type Conversation, type Delivery, Ledger, type Receipt, type Turn } from '../../src/demo/ledger.js';
import { isMet, outcomeOf } from '../../src/demo/outcome.js';
import type { Answer } from '../../src/demo/post-step.js';
import { Progress } from '../../src/demo/progress.js';
import { endings, steps } from '../../src/demo/scenes/all-scenes.js';
import type { Step, Thread } from '../../src/demo/script.js';

interface Held {
  readonly conversation: { -readonly [K in keyof Conversation]: Conversation[K] };
  readonly deliveries: { -readonly [K in keyof Delivery]: Delivery[K] }[];
  readonly turns: { -readonly [K in keyof Turn]: Turn[K] }[];
  /** What the agent wrote: places in the conversation. */
  readonly worked: number[];
}

let folder: string;
let held: Map<Thread, Held>;
let receipts: Receipt[];

/** A server that holds what the script should leave behind. */
class HeldApi extends AdminApi {
  override async get<T>(asked: string): Promise<T> {
    const [, id, part] = /^\/v1\/conversations\/([^/?]+)(?:\/(\w+))?/.exec(asked) ?? [];
    const of = [...held.values()].find(({ conversation }) => conversation.id === id);
    const lists = { deliveries: of?.deliveries, turns: of?.turns.toReversed() };
    const all = asked.startsWith('/v1/receipts') ? receipts : [...held.values()].map(({ conversation }) => conversation);
    return { items: part ? lists[part as keyof typeof lists] : all, next_cursor: null } as T;
  }
}

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-demo-test-'));
  held = new Map(endings.map(({ thread, state, prompts, lifecycles }) => [thread, heldFor(thread, state, prompts, lifecycles)]));
  const kept = steps.filter(({ expect: expected }) => 'disposition' in expected && !expected.duplicate);
  receipts = kept.map((_, index) => ({ id: String(index), disposition: 'routed' }));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function heldFor(thread: Thread, state: string, prompts: number, lifecycles: number): Held {
  const id = thread.replaceAll(' ', '-');
  const conversation = {
    id,
    title: thread,
    subject: { namespace: 'n', key: id },
    state,
    status: 'idle',
    queue: { held: 0, pending: 0, claimed: 0 },
  };
  const ending = steps.find(
    ({ expect: expected }) => 'disposition' in expected && expected.disposition === 'lifecycle' && expected.delivery?.thread === thread,
  );
  const end = ending && 'disposition' in ending.expect ? ending.expect.delivery?.sequence : null;
  const deliveries = Array.from({ length: prompts + lifecycles }, (_, index): Delivery => {
    const isEnd = index + 1 === end;
    return { sequence: index + 1, kind: isEnd ? 'lifecycle' : 'prompt', state: 'completed', outcome: isEnd ? 'lifecycle' : 'done' };
  });
  const worked = deliveries.filter(({ kind }) => kind === 'prompt').map(({ sequence }) => sequence);
  return { conversation, deliveries, turns: worked.map((sequence) => turn(id, sequence, 'done')), worked };
}

function turn(conversation: string, sequence: number, state: string): Turn {
  const times = { started_at: '2026-01-01T00:00:00.000Z', ended_at: '2026-01-01T00:00:01.000Z' };
  return {
    id: `${conversation}.${sequence}`,
    state,
    from_sequence: sequence,
    to_sequence: sequence,
    result: 'said',
    error: null,
    ...times,
  };
}

function answerTo({ expect: expected }: Step, index: number): Answer {
  const nothing = { status: 200, eventKey: 'e', decided: null, delivery: null, code: null, text: null };
  if ('refused' in expected) return { ...nothing, status: 401, code: expected.refused };
  if ('handshake' in expected) return { ...nothing, text: expected.handshake };
  const { disposition, reason, duplicate = false, delivery } = expected;
  const sequence = delivery?.sequence === 'any' ? index : (delivery?.sequence ?? 0);
  const place = delivery ? { conversation: held.get(delivery.thread)?.conversation.id ?? '', sequence } : null;
  return { ...nothing, decided: { duplicate, receipt: String(index), disposition, reason }, delivery: place };
}

/** What is found wrong. */
async function faults(): Promise<string[]> {
  const progress = Progress.read(path.join(folder, 'progress.jsonl'));
  for (const [index, step] of steps.entries()) progress.noteAnswer({ step: step.id, answer: answerTo(step, index), isRepeat: false });
  for (const { conversation, worked } of held.values()) {
    const own = path.join(folder, 'workspaces', conversation.id);
    mkdirSync(own, { recursive: true });
    const lines = worked.map((sequence) => JSON.stringify({ deliveries: [`${conversation.id}.${sequence}`] }));
    writeFileSync(path.join(own, 'turns.jsonl'), lines.join('\n'));
  }
  const outcome = await outcomeOf(progress, new Ledger(new HeldApi('', '', new AbortController().signal)), folder);
  const found = outcome.findings.filter(({ fault }) => fault !== null).map(({ what }) => what);
  expect(isMet(outcome)).toBe(found.length === 0);
  return found;
}

function of(thread: Thread): Held {
  const found = held.get(thread);
  if (!found) throw new Error(thread);
  return found;
}

describe('the outcome of the demo', () => {
  it('is as expected when everything was accepted once, in order, and done once', async () => {
    expect(await faults()).toEqual([]);
  });

  it('finds a message that no agent has worked on', async () => {
    of('issue').worked.pop();
    expect(await faults()).toEqual(['issue: what the agent did, it did once']);
  });

  it('finds a message that was worked on twice, but for one whose turn was cut off', async () => {
    of('issue').worked.push(2);
    expect(await faults()).toEqual(['issue: what the agent did, it did once']);
    of('issue').turns.unshift(turn('issue', 2, 'interrupted'));
    expect(await faults()).toEqual([]);
  });

  it('finds turns that overtook each other, and a message that two of them answered', async () => {
    of('pull request').turns.reverse();
    of('slack thread').turns.push(turn('slack-thread', 2, 'done'));
    expect(await faults()).toEqual([
      'pull request: each message in one finished turn, in order',
      'slack thread: each message in one finished turn, in order',
    ]);
  });

  it('finds a gap in the places, a message that is not done, and a wrong state', async () => {
    for (const delivery of of('push').deliveries) delivery.sequence = 2;
    for (const delivery of of('busy issue').deliveries.slice(-1)) delivery.outcome = 'dead';
    of('linear issue').conversation.state = 'open';
    expect(await faults()).toEqual(
      expect.arrayContaining(['push: places in order, without a gap', 'busy issue: how its deliveries ended', 'linear issue: its state']),
    );
  });

  it('finds a receipt too many, and a conversation too many or too few', async () => {
    receipts.push({ id: 'another', disposition: 'routed' });
    held.delete('push');
    expect(await faults()).toEqual(
      expect.arrayContaining(['conversations', 'push: its conversation', 'receipts: one for each event that is authentic and new']),
    );
  });
});
