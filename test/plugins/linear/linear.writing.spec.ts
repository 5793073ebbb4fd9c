import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Connection, ControlThread, OutboundTool, UnknownEffect, WantedThread } from 'throughline/plugin';
import { InvalidInput, OutcomeUnknown, ProviderFault } from 'throughline/plugin';
import { LinearControl } from '../../../plugins/linear/linear.control.js';
import { linearEffects } from '../../../plugins/linear/linear.effects.js';
import type { LinearConnection } from '../../../plugins/linear/linear.options.js';
import { comment, setState } from '../../../plugins/linear/linear.tools.js';
import type { Answer } from '../../fakes/fault-server.js';
import { ISSUE, LinearServer, refusal } from '../../fakes/linear/linear-server.js';
import { connection as connectionOf, linearFixture, parse } from './linear.requests.js';

const ORGANISATION = 'dc844923-f9a4-40a3-825c-dea7747e57d6';
const SUBJECT = { namespace: `linear:${ORGANISATION}:issue`, key: ISSUE };
const KEY = '0b6f2c3e-6a3d-4c61-9d0a-5f3e1a2b3c4d';
const STATE = '6b6b6b6b-0000-4000-8000-000000000006';
const WANTED: WantedThread = { conversation: 'c', subject: SUBJECT, parent: 'linear', title: 'x', known: null };
const control = new LinearControl();
const signal = new AbortController().signal;
const fails = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);
const writes = ({ body }: { body: string }) => body.includes('mutation');

let linear: LinearServer;
let connection: Connection<LinearConnection>;

beforeEach(async () => {
  linear = await LinearServer.start();
  connection = connectionOf({ apiUrl: linear.url, token: linear.token });
});
afterEach(() => linear.close());

const ensure = (more: Partial<WantedThread> = {}) => control.ensureThread({ ...WANTED, ...more }, connection, signal);
const post = (thread: ControlThread, text = 'Done', more = {}) => control.post(thread, { text, key: KEY, ...more }, connection, signal);

describe('the thread of a conversation at Linear', () => {
  it('LIN-4 is the newest agent session of ours on its issue, the one that it was shown in, or a new one', async () => {
    linear.addSession({ appUser: { id: 'another agent' } });
    const made = await ensure();
    expect(linear.sessions).toHaveLength(2);
    const newer = linear.addSession();
    expect((await ensure()).id).toBe(newer.id);
    expect(await ensure({ known: made })).toEqual(made);
    const gone = { parent: 'linear', id: '7c1d0b52-4a5b-4c8e-9d7d-0d5a3f7e1a11' };
    expect((await ensure({ known: gone })).id).toBe(newer.id);
  });

  it('LIN-4 is the session that the conversation is about, and none of another provider', async () => {
    const session = linear.addSession({ issue: null });
    const subject = { namespace: `linear:${ORGANISATION}:session`, key: String(session.id) };
    expect(await ensure({ subject })).toMatchObject({ id: session.id });
    expect(await fails(ensure({ subject: { namespace: 'github:github.com:1', key: '1#1' } }))).toMatchObject({ state: 'refused' });
  });

  it('LIN-4 is what a person writes in, and stops', () => {
    const session = linearFixture('agent-session.prompted').agentSession as { id: string };
    expect(parse(linearFixture('agent-session.prompted'))).toMatchObject({ kind: 'prompt', subject: SUBJECT, thread: session.id });
    expect(parse(linearFixture('agent-session.prompted.stop'))).toMatchObject({ kind: 'action', subject: SUBJECT, thread: session.id });
  });

  it('LIN-4 hears from the host at once, by a thought that disappears; a comment elsewhere gets an eye', async () => {
    await control.acknowledge({ thread: null, message: KEY, subject: SUBJECT }, connection, signal);
    expect(linear.reactions).toEqual([{ commentId: KEY, emoji: 'eyes' }]);
    const session = linear.addSession();
    await control.acknowledge({ thread: null, message: KEY, subject: SUBJECT }, connection, signal);
    await control.acknowledge({ thread: String(session.id), message: KEY, subject: SUBJECT }, connection, signal);
    expect(linear.activities).toMatchObject(
      Array(2).fill({ content: { type: 'thought' }, ephemeral: true, agentSession: { id: session.id } }),
    );
  });

  it('says what is missing for it', () => {
    expect(control.missing(connectionOf())).toMatch(/connections\.linear needs `token`/);
    expect(control.missing(connection)).toBeNull();
  });
});

describe('a message of the channel at Linear', () => {
  it('LIN-4 is a response, or an elicitation that says what to write, and is said once however often it is sent', async () => {
    const thread = await ensure();
    expect(await post(thread)).toEqual({ message: KEY });
    expect(await post(thread)).toEqual({ message: KEY });
    const action = { type: 'decision', approval: 'a-1', decision: 'approve' } as const;
    const asked = { key: STATE, buttons: [{ label: 'Approve', style: 'primary', action }] };
    await post(thread, 'Push?', asked);
    expect(linear.activities).toMatchObject([
      { id: KEY, content: { type: 'response', body: 'Done' } },
      { content: { type: 'elicitation', body: 'Push?\n\n- **Approve**: write `/approve a-1`' } },
    ]);
  });

  it('LIN-4 is found by its id after a lost answer', async () => {
    const thread = await ensure();
    expect(await control.findMarker(thread, KEY, connection, signal)).toBeNull();
    linear.once(writes, 'drop');
    expect(await fails(post(thread))).toBeInstanceOf(OutcomeUnknown);
    expect(await control.findMarker(thread, KEY, connection, signal)).toBe(KEY);
    expect(await control.findMarker({ ...thread, id: 'another' }, KEY, connection, signal)).toBeNull();
  });

  const CASES: readonly [string, Answer, object][] = [
    ['a revoked token', refusal('authentication error', 'Authentication required'), { state: 'forbidden' }],
    [
      'a missing scope',
      refusal('forbidden', 'Invalid scope: write required'),
      { state: 'forbidden', message: expect.stringContaining('token') },
    ],
    ['a limit', refusal('ratelimited', 'Rate limit exceeded'), { state: 'rate_limited', retryAfterMs: 60_000 }],
    ['a session that is gone', refusal('invalid input', 'Entity not found: AgentSession'), { state: 'thread_gone' }],
    ['a wrong document', refusal('graphql error', 'Unknown argument'), { state: 'refused' }],
  ];

  it.each(CASES)('LIN-4 has a state with a next step: %s', async (_, answer, expected) => {
    const thread = await ensure();
    linear.once(writes, answer);
    const fault = await fails(post(thread));
    expect(fault).toMatchObject({ name: 'ChannelFault', ...expected });
    expect(String(fault)).not.toContain(linear.token);
  });

  it('LIN-4 is unknown where Linear broke, and refused with 50,000 characters', async () => {
    const thread = await ensure();
    for (const answer of [refusal('internal error', 'Oops'), { status: 502, body: 'Bad gateway' }, 'break'] as const) {
      linear.once(writes, answer);
      expect(await fails(post(thread))).toBeInstanceOf(OutcomeUnknown);
    }
    expect(await fails(post(thread, 'a'.repeat(50_000)))).toMatchObject({ state: 'refused', message: expect.stringContaining('50000') });
  });
});

describe('what an agent writes at Linear', () => {
  const binding = () => ({ connection, conversation: 'c', subject: SUBJECT });

  function unknown<Input extends object>(
    tool: OutboundTool<LinearConnection, Input>,
    input: Input,
    minutesAgo = 1,
  ): UnknownEffect<LinearConnection> {
    return {
      ...{ connection, tool: tool.name, scope: tool.scope(input, binding()), marker: tool.isMarked ? KEY : null },
      attemptedAt: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
      isInput: (other) => JSON.stringify(other) === JSON.stringify(input),
    };
  }

  it('EFF-2 EFF-7 is a comment with the id of its effect, and the evidence that its event gives', async () => {
    const proved = await comment.execute({ body: 'Fixed' }, binding(), KEY);
    const event = linearFixture('comment.create');
    const [written] = linear.comments;
    const callback = parse({ ...event, data: { ...event.data, id: written?.id, updatedAt: written?.updatedAt, issueId: ISSUE } });
    const { subject, ...scope } = comment.scope({ body: 'Fixed' }, binding());
    expect(callback).toMatchObject({ subject, evidence: { ...scope, ids: proved.ids, marker: KEY } });
    expect(await linearEffects.find(unknown(comment, { body: 'Fixed' }), signal)).toEqual(proved);
  });

  it('EFF-2 is a state, and the evidence that its event gives', async () => {
    const proved = await setState.execute({ stateId: STATE }, binding(), KEY);
    const event = linearFixture('issue.update.state-started');
    const state = { ...(event.data.state as object), id: STATE };
    const callback = parse({ ...event, data: { ...event.data, id: ISSUE, state, stateId: STATE, updatedAt: linear.issue.updatedAt } });
    const { subject, ...scope } = setState.scope({ stateId: STATE }, binding());
    expect(callback).toMatchObject({ subject, evidence: { ...scope, ids: proved.ids } });
    expect(await linearEffects.find(unknown(setState, { stateId: STATE }), signal)).toEqual(proved);
  });

  it('EFF-4 EFF-5 surely failed where Linear refused, is unknown where its answer got lost, and is absent only when it can come no more', async () => {
    linear.once(writes, refusal('forbidden', 'no'));
    expect(await fails(comment.execute({ body: 'x' }, binding(), KEY))).toMatchObject({ name: 'ProviderFault', kind: 'unauthorized' });
    linear.once(writes, refusal('ratelimited', 'slow down', { 'x-ratelimit-requests-reset': String(Date.now() + 9000) }));
    expect(await fails(comment.execute({ body: 'x' }, binding(), KEY))).toMatchObject({
      kind: 'transient',
      retryAfterMs: expect.any(Number),
    });
    linear.once(writes, { status: 200, body: { data: { commentCreate: { success: false } } } });
    expect(await fails(comment.execute({ body: 'x' }, binding(), KEY))).toBeInstanceOf(ProviderFault);
    expect(await linearEffects.find(unknown(comment, { body: 'x' }), signal)).toBe('unknown');
    expect(await linearEffects.find(unknown(comment, { body: 'x' }, 6), signal)).toBe('absent');
    linear.once(writes, 'drop');
    expect(await fails(comment.execute({ body: 'x' }, binding(), KEY))).toBeInstanceOf(OutcomeUnknown);
    expect(await linearEffects.find(unknown(comment, { body: 'x' }), signal)).toMatchObject({ ids: { comment: KEY } });
    linear.issue.updatedAt = new Date().toISOString();
    expect(await linearEffects.find(unknown(setState, { stateId: STATE }, 6), signal)).toBe('unknown');
    linear.issue.updatedAt = '2026-01-01T00:00:00.000Z';
    expect(await linearEffects.find(unknown(setState, { stateId: STATE }, 6), signal)).toBe('absent');
  });

  it('names no destination, and is none where the conversation is about something else', async () => {
    const subject = { namespace: `linear:${ORGANISATION}:session`, key: 's' };
    expect(() => comment.scope({ body: 'x' }, { ...binding(), subject })).toThrow(InvalidInput);
    const without = { ...binding(), connection: connectionOf() };
    expect(await fails(comment.execute({ body: 'x' }, without, KEY))).toMatchObject({ kind: 'unauthorized' });
  });
});
