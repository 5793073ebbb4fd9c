import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Connection, ProviderEvent } from 'throughline/plugin';
import { LinearBackfill } from '../../../plugins/linear/linear.backfill.js';
import type { LinearConnection } from '../../../plugins/linear/linear.options.js';
import { LinearReconciliation } from '../../../plugins/linear/linear.poll.js';
import { ISSUE, LinearServer, ORGANISATION } from '../../fakes/linear/linear-server.js';
import { connection as connectionOf, type Json, parse } from './linear.requests.js';

const signal = new AbortController().signal;
const subject = { namespace: `linear:${ORGANISATION}:issue`, key: ISSUE };
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

let linear: LinearServer;
let connection: Connection<LinearConnection>;

beforeEach(async () => {
  linear = await LinearServer.start();
  connection = connectionOf({ apiUrl: linear.url, token: linear.token });
});
afterEach(() => linear.close());

describe('the reconciliation of issues', () => {
  const reconciliation = new LinearReconciliation();
  const read = async (from: string | null) => {
    const events: ProviderEvent[] = [];
    let next = { cursor: from, more: true };
    while (next.more) {
      const page = await reconciliation.poll(connection, next.cursor, signal);
      events.push(...page.events);
      next = { cursor: page.cursor, more: page.more ?? false };
    }
    return { events, cursor: next.cursor };
  };
  const issue = (n: number, change: Json = {}): Json => ({
    id: `issue-${n}`,
    updatedAt: at(n),
    state: { id: 's', type: 'started' },
    ...change,
  });

  it('REC-5 tells each change of an issue once, over pages and from where it was, and begins shortly before now', async () => {
    linear.pageSize = 2;
    linear.issues.splice(0, 1, ...[1, 2, 3, 4, 5].map((n) => issue(n, n > 3 ? { updatedAt: at(4) } : {})));
    const first = await read(JSON.stringify({ since: at(2), told: [], after: null }));
    expect(first.events.map(({ deliveryId }) => deliveryId.split(':')[1])).toEqual(['issue-2', 'issue-3', 'issue-4', 'issue-5']);
    expect((await read(first.cursor)).events).toEqual([]);
    linear.issues.push(issue(6, { updatedAt: at(4) }));
    Object.assign(linear.issues[0] as Json, { updatedAt: at(9), state: { id: 'd', type: 'completed' } });
    const second = await read(first.cursor);
    expect(second.events.map(({ deliveryId }) => deliveryId)).toEqual([`reconcile:issue-6:${at(4)}:`, `reconcile:issue-1:${at(9)}:`]);
    expect((await read(null)).events).toEqual([]);
  });

  it('LIN-2 says how an issue was found, at its revision, and no words', async () => {
    linear.issues.splice(0, 1, { id: ISSUE, updatedAt: at(3), identifier: 'LIN-1', title: 'x', state: { id: 'd', type: 'completed' } });
    const [event] = (await read(JSON.stringify({ since: at(1), told: [], after: null }))).events;
    expect(event?.eventKey).toBe('Issue.reconcile');
    expect(parse(event?.payload)).toMatchObject({
      ...{ kind: 'ignored', reason: 'reconciled', subject, title: '[LIN-1] x', context: { stateId: 'd', stateType: 'completed' } },
      observation: { state: 'terminal', reason: 'completed', revision: at(3), transition: false },
    });
  });

  it('an issue that was archived without being touched is found by when', async () => {
    linear.issues.splice(0, 1, issue(1, { archivedAt: at(8) }));
    const { events, cursor } = await read(JSON.stringify({ since: at(5), told: [], after: null }));
    expect(events.map(({ payload }) => parse(payload).observation)).toMatchObject([
      { state: 'terminal', reason: 'archived', revision: at(8) },
    ]);
    expect((await read(cursor)).events).toEqual([]);
  });

  it('is done where there is a token, unless somebody does not want it', () => {
    const used = [{}, { token: 't' }, { token: 't', reconcile: false }].map((options) => reconciliation.usedBy(connectionOf(options)));
    expect(used).toEqual([false, true, false]);
  });
});

describe('the history of a downtime', () => {
  const missed = async (from: string) => {
    const events: ProviderEvent[] = [];
    const accept = async (event: ProviderEvent) => {
      events.push(event);
      return { duplicate: false, receipt: '1', disposition: 'routed' };
    };
    await new LinearBackfill().since(connection, new Date(from), { accept }, signal);
    return events;
  };

  it('REC-5 W14 hands over the issues and comments since then, oldest first, as their webhooks would have told them', async () => {
    linear.pageSize = 1;
    const person = { id: 'aacdca22-6266-4c0a-ab3c-8fa70a26765c', name: 'Mona Octocat' };
    const about = { issue: { id: ISSUE, identifier: 'LIN-1', title: 'x' }, user: person };
    linear.comments.push(
      { id: 'c-0', body: 'long ago', createdAt: '2025-01-01T00:00:00.000Z', updatedAt: at(1), ...about },
      { id: 'c-1', body: 'first', createdAt: at(200), updatedAt: at(200), ...about },
      {
        id: 'c-2',
        body: 'second',
        createdAt: at(300),
        updatedAt: at(301),
        ...about,
        user: null,
        botActor: { id: 'b', name: 'CI', type: 'github' },
      },
    );
    const created = {
      id: 'new',
      title: 'New',
      createdAt: at(250),
      updatedAt: at(250),
      creator: person,
      state: { id: 's', type: 'unstarted' },
    };
    linear.issues.splice(0, 1, created);
    const events = await missed(at(150));
    expect(events.map(({ deliveryId, eventKey }) => [deliveryId, eventKey])).toEqual([
      ['comment:c-1', 'Comment.create'],
      ['issue:new', 'Issue.create'],
      ['comment:c-2', 'Comment.create'],
    ]);
    const [first, issue, second] = events.map(({ payload }) => parse(payload, { token: 't' }));
    expect(first).toMatchObject({
      ...{ kind: 'prompt', text: 'first', subject, messageKey: 'c-1', author: { id: person.id, isBot: false } },
      evidence: { account: ORGANISATION, kind: 'Comment', ids: { comment: 'c-1', issue: ISSUE, revision: at(200) }, marker: 'c-1' },
    });
    expect(issue).toMatchObject({ kind: 'prompt', text: 'New', messageKey: 'issue new', author: { id: person.id } });
    expect(second).toMatchObject({ kind: 'prompt', text: 'second', author: { id: 'b', isBot: true } });
  });

  it('is asked for where there is a token', () => {
    expect([connection, connectionOf()].map((each) => new LinearBackfill().usedBy(each))).toEqual([true, false]);
  });
});
