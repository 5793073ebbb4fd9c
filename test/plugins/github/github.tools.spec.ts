import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import type { OutboundBinding, OutboundTool, UnknownEffect } from 'throughline/plugin';
import { InvalidInput, OutcomeUnknown, ProviderFault } from 'throughline/plugin';
import { githubEffects } from '../../../plugins/github/github.effects.js';
import type { GithubConnection } from '../../../plugins/github/github.options.js';
import { comment, labels, review } from '../../../plugins/github/github.tools.js';
import { type FakeIssue, GithubServer, refusal } from '../../fakes/github/github-server.js';
import { parse } from './deliveries.js';
import { connected, fails, KEY, SUBJECT } from './github.writing.js';

const signal = new AbortController().signal;

let github: GithubServer;
let issue: FakeIssue;
let binding: OutboundBinding<GithubConnection>;

beforeEach(async () => {
  github = await GithubServer.start();
  issue = github.addIssue(12, { isPullRequest: true });
  binding = { connection: connected(github), conversation: 'c', subject: SUBJECT };
});
afterEach(() => github.close());

function parsed(eventKey: string, more: Record<string, unknown>) {
  const action = eventKey.split('.')[1] ?? '';
  return parse({ connection: binding.connection, eventKey, payload: github.event(12, action, more) });
}

function unknown<Input extends object>(
  tool: OutboundTool<GithubConnection, Input>,
  input: Input,
  minutesAgo = 1,
): UnknownEffect<GithubConnection> {
  return {
    ...{ connection: binding.connection, tool: tool.name, scope: tool.scope(input, binding), marker: tool.isMarked ? KEY : null },
    attemptedAt: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
    isInput: (other) => JSON.stringify(other) === JSON.stringify(input),
  };
}

describe('a comment by an agent at GitHub', () => {
  it('EFF-2 EFF-7 leaves the evidence that its event gives, marked with the id of its write', async () => {
    const proved = await comment.execute({ body: 'Fixed in 3, @mona' }, binding, KEY);
    const event = parsed('issue_comment.created', { comment: issue.comments[0], issue: { number: 12, pull_request: {} } });
    const { subject, ...scope } = comment.scope({ body: '' }, binding);
    expect(event).toMatchObject({ kind: 'prompt', subject, evidence: { ...scope, ids: proved.ids, marker: KEY } });
    expect(issue.comments[0]?.body).toBe(`Fixed in 3, @\u200bmona\n\n<!-- throughline:${KEY} -->`);
  });

  it('EFF-3 is told from a person’s, who shares the account, by the marker that theirs lacks', () => {
    const event = parsed('issue_comment.created', { comment: github.say(12, 'Fixed in 3'), issue: { number: 12 } });
    expect(event).toMatchObject({ kind: 'prompt', evidence: { marker: null } });
  });

  it('EFF-4 surely failed where GitHub refused it', async () => {
    issue.isLocked = true;
    expect(await fails(comment.execute({ body: 'x' }, binding, KEY))).toMatchObject({
      kind: 'unauthorized',
      message: expect.stringContaining('locked'),
    });
    github.once(({ method }) => method === 'POST', refusal(403, 'secondary rate limit', { 'retry-after': '9' }));
    expect(await fails(comment.execute({ body: 'x' }, binding, KEY))).toMatchObject({ kind: 'transient', retryAfterMs: 9000 });
    issue.isGone = true;
    expect(await fails(comment.execute({ body: 'x' }, binding, KEY))).toBeInstanceOf(ProviderFault);
  });

  it('EFF-5 is found by its marker where its answer got lost, and is absent only when it can come no more', async () => {
    expect(await githubEffects.find(unknown(comment, { body: 'x' }), signal)).toBe('unknown');
    expect(await githubEffects.find(unknown(comment, { body: 'x' }, 6), signal)).toBe('absent');
    github.once(({ method }) => method === 'POST', 'drop');
    expect(await fails(comment.execute({ body: 'x' }, binding, KEY))).toBeInstanceOf(OutcomeUnknown);
    Object.assign(issue.comments[0] ?? {}, { updated_at: new Date().toISOString() });
    const found = await githubEffects.find(unknown(comment, { body: 'x' }), signal);
    expect(found).toMatchObject({ ids: { comment: String(issue.comments[0]?.id), issue: SUBJECT.key } });
  });

  it('names no destination, and is none where the conversation is about something else', () => {
    const elsewhere = { ...binding, subject: { namespace: 'github:github.example.com:186853002', key: SUBJECT.key } };
    expect(() => comment.scope({ body: 'x' }, elsewhere)).toThrow(InvalidInput);
    expect(Object.keys(plainToInstance(comment.input, { body: 'x' }))).toEqual(['body']);
  });
});

describe('a review by an agent at GitHub', () => {
  it('EFF-2 EFF-7 leaves the evidence that its event gives', async () => {
    const proved = await review.execute({ verdict: 'request_changes', body: 'Not yet' }, binding, KEY);
    const event = parsed('pull_request_review.submitted', { review: issue.reviews[0] });
    expect(event).toMatchObject({ kind: 'prompt', evidence: { kind: 'pull_request_review', ids: proved.ids, marker: KEY } });
    expect(issue.reviews[0]).toMatchObject({ state: 'changes_requested' });
    expect(await githubEffects.find(unknown(review, { verdict: 'comment', body: 'x' }), signal)).toEqual(proved);
  });

  it('EFF-4 surely failed on an issue', async () => {
    github.addIssue(12);
    expect(await fails(review.execute({ verdict: 'comment', body: 'x' }, binding, KEY))).toMatchObject({ kind: 'permanent' });
  });
});

describe('labels set by an agent at GitHub', () => {
  it('EFF-2 leave the evidence of every event that the change makes', async () => {
    const proved = await labels.execute({ labels: ['bug', 'urgent'] }, binding, KEY);
    for (const label of issue.labels) {
      expect(parsed('pull_request.labeled', { label })).toMatchObject({ evidence: { kind: 'labels', action: 'set', ids: proved.ids } });
    }
    github.say(12, 'x');
    expect(parsed('pull_request.labeled', { label: {} }).evidence?.ids).not.toEqual(proved.ids);
  });

  it('EFF-4 EFF-5 are unknown where reading them back failed, and known from how they stand', async () => {
    github.once(({ method }) => method === 'GET', refusal(404, 'Not Found'));
    expect(await fails(labels.execute({ labels: ['bug'] }, binding, KEY))).not.toBeInstanceOf(ProviderFault);
    expect(await githubEffects.find(unknown(labels, { labels: ['bug'] }), signal)).toMatchObject({ ids: { issue: SUBJECT.key } });
    expect(await githubEffects.find(unknown(labels, { labels: ['other'] }, 10), signal)).toBe('absent');
    issue.updatedAt = new Date().toISOString();
    expect(await githubEffects.find(unknown(labels, { labels: ['other'] }, 10), signal)).toBe('unknown');
  });

  it('are refused where they are none', () => {
    const faults = (input: object) => validateSync(plainToInstance(labels.input, input)).map(({ property }) => property);
    expect(faults({ labels: ['bug'] })).toEqual([]);
    for (const wrong of [{}, { labels: 'bug' }, { labels: [''] }, { labels: ['a', 'a'] }, { labels: [7] }])
      expect(faults(wrong)).toEqual(['labels']);
  });
});
