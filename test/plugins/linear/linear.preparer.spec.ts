import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ClaimedDelivery, Connection, Parsed } from 'throughline/plugin';
import type { LinearConnection } from '../../../plugins/linear/linear.options.js';
import { LinearPreparer } from '../../../plugins/linear/linear.preparer.js';
import { ISSUE, LinearServer, ORGANISATION, refusal } from '../../fakes/linear/linear-server.js';
import { connection as connectionOf, issueUpdate, linearFixture, parse } from './linear.requests.js';

const PROJECT = '11111111-0000-4000-8000-000000000001';
const UPDATED = '2026-01-02T00:00:00.000Z';
const preparer = new LinearPreparer();
const signal = new AbortController().signal;
const isRead = () => true;

describe('what Linear says of an issue before a turn', () => {
  let linear: LinearServer;
  let connection: Connection<LinearConnection>;

  beforeEach(async () => {
    linear = await LinearServer.start();
    connection = connectionOf({ apiUrl: linear.url, token: linear.token });
  });
  afterEach(() => linear.close());

  const stands = (change: object) => Object.assign(linear.issue, { updatedAt: UPDATED, ...change });
  const ask = (parsed: Parsed = parse(linearFixture('comment.create')), options: LinearConnection = {}) => {
    const identity = { org: 'default', provider: 'linear', source: 'linear', deliveryId: 'd' };
    const conversation = { id: 'c', title: null, namespace: `linear:${ORGANISATION}:issue`, key: ISSUE };
    const delivery: ClaimedDelivery = { identity, conversation, parsed, sequence: 1, eventKey: 'Comment.create', receivedAt: UPDATED };
    return preparer.prepare(delivery, { ...connection, options: { ...connection.options, ...options } }, signal);
  };
  const fails = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);

  it.each(['completed', 'canceled', 'duplicate'])(
    'LIN-2 K5 a state of the type %s ends it, also for a comment, with what settling needs',
    async (type) => {
      stands({ state: { id: 's-1', name: 'In Progress', type } });
      expect(await ask()).toEqual({
        verdict: 'proceed',
        observation: { state: 'terminal', reason: type, revision: UPDATED },
        context: { stateId: 's-1', stateType: type },
      });
    },
  );

  it('LIN-2 K6 another type is open at its revision; K7 one that is not known says nothing', async () => {
    stands({ state: { id: 's-1', name: 'Done', type: 'started' } });
    expect(await ask()).toMatchObject({ verdict: 'proceed', observation: { state: 'open', revision: UPDATED } });
    stands({ state: { id: 's-1', name: 'Done', type: 'paused' } });
    expect(await ask()).toEqual({ verdict: 'proceed', context: { stateId: 's-1', stateType: 'paused' } });
  });

  it('TRM-1 the archive and the trash end it at the instant at which it was put there', async () => {
    const archivedAt = '2026-01-03T00:00:00.000Z';
    stands({ state: { id: 's-1', type: 'started' }, archivedAt });
    expect(await ask()).toMatchObject({ observation: { state: 'terminal', reason: 'archived', revision: archivedAt } });
    stands({ trashed: true });
    expect(await ask()).toMatchObject({ observation: { state: 'terminal', reason: 'deleted', revision: archivedAt } });
  });

  it('LIN-1 K2 an issue of no project of the connection is ignored, with its state; one of them has its workspace', async () => {
    const projects = { [PROJECT]: 'eng' };
    stands({ state: { id: 's-1', type: 'started' } });
    expect(await ask(undefined, { projects })).toMatchObject({ verdict: 'ignore', reason: 'off_board', observation: { state: 'open' } });
    stands({ project: { id: PROJECT } });
    expect(await ask(undefined, { projects })).toMatchObject({ verdict: 'proceed', workspace: 'eng' });
    const move = parse(issueUpdate({ projectId: PROJECT }, { projectId: null }), { projects, token: 'x' });
    expect(move).toMatchObject({ kind: 'prompt', continueOnly: true });
    expect(await ask(move, { projects })).toMatchObject({ verdict: 'ignore', reason: 'project_move', workspace: 'eng' });
  });

  it('LIN-1 an issue that the account does not see is ignored; what is about no issue is not asked for', async () => {
    linear.issues.splice(0);
    expect(await ask()).toEqual({ verdict: 'ignore', reason: 'issue_not_found' });
    expect(await ask(parse(linearFixture('issue.update.state-completed')))).toEqual({ verdict: 'proceed' });
    const calls = linear.calls.length;
    expect(await ask({ kind: 'prompt', subject: { namespace: `linear:${ORGANISATION}:session`, key: 's' }, text: 'x' })).toEqual({
      verdict: 'proceed',
    });
    expect(linear.calls).toHaveLength(calls);
  });

  it('TRN-6 K8 what cannot be read now is asked again; what a person must mend, and a state without its revision, is not', async () => {
    linear.once(isRead, refusal('ratelimited', 'slow down'));
    expect(await fails(ask())).toMatchObject({ name: 'ProviderFault', kind: 'transient', retryAfterMs: 60_000 });
    linear.once(isRead, 'break');
    expect(await fails(ask())).toMatchObject({ kind: 'transient' });
    linear.once(isRead, refusal('authentication error', 'no'));
    const refused = await fails(ask());
    expect(refused).toMatchObject({ kind: 'unauthorized', message: expect.stringContaining('connections.linear.token') });
    expect(String(refused)).not.toContain(linear.token);
    stands({ state: { id: 's-1', type: 'started' }, updatedAt: null });
    expect(await fails(ask())).toMatchObject({ kind: 'permanent' });
  });

  it('is asked only where there is a token', () => {
    expect([preparer.usedBy(connection), preparer.usedBy(connectionOf())]).toEqual([true, false]);
  });
});
