import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ChannelFault, type ControlPost, type ControlThread, OutcomeUnknown, type WantedThread } from 'throughline/plugin';
import { GithubControl } from '../../../plugins/github/github.control.js';
import type { Answer } from '../../fakes/fault-server.js';
import { type FakeIssue, GithubServer, REPOSITORY, refusal } from '../../fakes/github/github-server.js';
import { connection as connectionOf, parse } from './deliveries.js';
import { connected, fails, KEY, SUBJECT } from './github.writing.js';

const control = new GithubControl();
const signal = new AbortController().signal;
const WANTED: WantedThread = { conversation: 'c', subject: SUBJECT, parent: 'acme/api', title: 'x', known: null };
const THREAD: ControlThread = { parent: 'acme/api', id: SUBJECT.key, title: 'Repair <it>', url: 'https://github.com/acme/api/issues/12' };

let github: GithubServer;
let issue: FakeIssue;
let connection: ReturnType<typeof connected>;

beforeEach(async () => {
  github = await GithubServer.start();
  issue = github.addIssue(12);
  connection = connected(github);
});
afterEach(() => github.close());

const post = (more: Partial<ControlPost> = {}) => control.post(THREAD, { text: 'Working on it', key: KEY, ...more }, connection, signal);

describe('the thread of a conversation at GitHub', () => {
  it('GIT-3 is its issue or pull request itself, by ids that no renaming changes', async () => {
    expect(await control.ensureThread(WANTED, connection, signal)).toEqual(THREAD);
    expect(await control.ensureThread({ ...WANTED, known: THREAD, parent: 'elsewhere' }, connection, signal)).toEqual(THREAD);
  });

  it('GIT-3 goes along with an issue that was transferred', async () => {
    issue.movedTo = `${github.url}/repositories/${REPOSITORY}/issues/34`;
    github.addIssue(34);
    expect(await control.ensureThread(WANTED, connection, signal)).toMatchObject({ id: `${REPOSITORY}#34` });
    expect(await fails(post())).toMatchObject({ state: 'thread_gone' });
  });

  it('GIT-3 is none where the conversation is about something else, or the issue is gone or hidden', async () => {
    const subject = { namespace: 'linear:o:issue', key: 'i' };
    expect(await fails(control.ensureThread({ ...WANTED, subject }, connection, signal))).toMatchObject({ state: 'refused' });
    issue.isGone = true;
    expect(await fails(control.ensureThread(WANTED, connection, signal))).toMatchObject({ state: 'parent_gone' });
    github.issues.clear();
    const hidden = { state: 'parent_gone', message: expect.stringContaining('no access') };
    expect(await fails(control.ensureThread(WANTED, connection, signal))).toMatchObject(hidden);
  });

  it('GIT-3 is written in as an App, whose installation is found by the repository, with one token for all', async () => {
    const app = connected(github, { app: github.app });
    await control.post(THREAD, { text: 'one', key: KEY }, app, signal);
    await control.post(THREAD, { text: 'two', key: KEY }, app, signal);
    expect(issue.comments).toHaveLength(2);
    expect(github.calls.filter(({ path }) => path.includes('/access_tokens'))).toHaveLength(1);
  });

  it('says what is missing for it', () => {
    expect(control.missing(connectionOf())).toMatch(/connections\.github needs `token` or `app`/);
    expect(control.missing(connection)).toBeNull();
  });

  it('asks nothing of GitHub when the conversation ends: issues are people’s', async () => {
    await control.archive();
    await control.unarchive();
    expect(github.calls).toEqual([]);
  });
});

describe('a message of the channel at GitHub', () => {
  it('GIT-3 is a comment that says in words what to write, and mentions nobody', async () => {
    const buttons = [
      { label: 'Approve', style: 'primary', action: { type: 'decision', approval: 'a-1', decision: 'approve' } },
      { label: 'Stop', style: 'danger', action: { type: 'command', name: 'stop' } },
    ] as const;
    await post({ text: 'Ask @mona, not a@b.c, and `@decorator`?', buttons });
    expect(issue.comments[0]?.body).toMatch(
      /^Ask @\u200bmona, not a@b\.c, and `@decorator`\?\n\n- \*\*Approve\*\*: comment `\/approve a-1`\n- \*\*Stop\*\*: comment `\/stop`\n\n<!-- throughline:0b6f/,
    );
  });

  it('GIT-3 is edited in place, and found by its marker after a lost answer on whatever page it stands', async () => {
    for (let comment = 0; comment < 120; comment++) github.say(12, 'me too');
    github.once(({ method }) => method === 'POST', 'drop');
    expect(await fails(post())).toBeInstanceOf(OutcomeUnknown);
    const message = await control.findMarker(THREAD, KEY, connection, signal);
    expect(message).toBe(String(issue.comments.at(-1)?.id));
    await control.edit(THREAD, message ?? '', { text: 'Done', key: KEY }, connection, signal);
    expect(issue.comments.at(-1)?.body).toMatch(/^Done\n\n<!-- throughline/);
    expect(await control.findMarker(THREAD, '1b6f2c3e-6a3d-4c61-9d0a-5f3e1a2b3c4d', connection, signal)).toBeNull();
  });

  it('GIT-3 EFF-8 is known as our own by its proof, whoever’s account wrote it, and nobody else’s words are', async () => {
    await post({ text: 'Working on it\r\n' });
    const [own] = issue.comments;
    const parsed = (comment: object, action = 'created', options = connection) =>
      parse({ connection: options, eventKey: `issue_comment.${action}`, payload: github.event(12, action, { comment }) });
    expect(parsed(own ?? {})).toMatchObject({ kind: 'ignored', reason: 'own_message' });
    expect(parsed(own ?? {}, 'edited')).toMatchObject({ kind: 'ignored', reason: 'own_message' });
    const rotated = { ...connection, secrets: ['new', ...connection.secrets] };
    expect(parsed(own ?? {}, 'created', rotated)).toMatchObject({ reason: 'own_message' });
    const marker = String(own?.body).slice(-126);
    for (const body of [`Please stop\n\n${marker}`, String(own?.body).replace('Working', 'Walking'), `${own?.body} .`]) {
      expect(parsed({ ...own, body })).toMatchObject({ kind: 'prompt', thread: SUBJECT.key });
    }
    expect(parsed(own ?? {}, 'created', { ...connection, secrets: ['another'] })).toMatchObject({ kind: 'prompt' });
  });

  it('GIT-3 is refused with 70,000 characters and taken with as many as the limit names', async () => {
    expect(await fails(post({ text: 'a'.repeat(70_000) }))).toMatchObject({
      state: 'refused',
      message: expect.stringContaining('70000 characters'),
    });
    expect(await fails(post({ text: '@a '.repeat(20_000) }))).toMatchObject({ state: 'refused' });
    await post({ text: 'a'.repeat(control.limits.text) });
    expect(issue.comments).toHaveLength(1);
  });

  it('GIT-3 is acknowledged with an eye where GitHub has reactions', async () => {
    const comment = github.say(12, 'fix it');
    const acknowledge = (message: string) => control.acknowledge({ thread: null, message, subject: SUBJECT }, connection, signal);
    await acknowledge(`issue_comment:${comment.id}`);
    await acknowledge('issues:120');
    expect(issue.reactions).toEqual([`${comment.id} eyes`, 'eyes']);
    const calls = github.calls.length;
    await acknowledge('pull_request_review:5');
    await acknowledge('__proto__:5');
    expect(github.calls).toHaveLength(calls);
    await acknowledge('issue_comment:999999');
  });
});

describe('what GitHub refuses', () => {
  const inAnHour = String(Math.floor(Date.now() / 1000) + 3600);
  const CASES: readonly [string, Answer, Partial<ChannelFault>][] = [
    ['a locked issue', refusal(403, 'Unable to create comment because issue is locked.'), { state: 'thread_locked' }],
    ['an archived repository', refusal(403, 'Repository was archived so is read-only.'), { state: 'thread_locked' }],
    ['a missing permission', refusal(403, 'Resource not accessible by integration'), { state: 'forbidden' }],
    [
      'a revoked token',
      refusal(401, 'Bad credentials'),
      { state: 'forbidden', message: expect.stringContaining('connections.github') as never },
    ],
    ['a deleted issue', refusal(410, 'This issue was deleted'), { state: 'thread_gone' }],
    ['a wrong body', refusal(422, 'Validation Failed'), { state: 'refused' }],
    [
      'a secondary limit',
      refusal(403, 'You have exceeded a secondary rate limit', { 'retry-after': '7' }),
      { state: 'rate_limited', retryAfterMs: 7000 },
    ],
    [
      'a secondary limit without a time',
      refusal(403, 'You have exceeded a secondary rate limit.'),
      { state: 'rate_limited', retryAfterMs: 60_000 },
    ],
    [
      'an empty budget',
      refusal(403, 'API rate limit exceeded', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inAnHour }),
      { state: 'rate_limited' },
    ],
    ['too many requests', refusal(429, 'Too many', { 'retry-after': '3' }), { state: 'rate_limited', retryAfterMs: 3000 }],
  ];

  it.each(CASES)('GIT-3 is a state with a next step: %s', async (_, answer, expected) => {
    github.once(({ method }) => method === 'POST', answer);
    const fault = await fails(post());
    expect(fault).toMatchObject({ name: 'ChannelFault', ...expected });
    expect(String(fault)).not.toContain(github.token);
  });

  it('GIT-3 is a comment to edit that was deleted', async () => {
    expect(await fails(control.edit(THREAD, '999', { text: 'x', key: KEY }, connection, signal))).toMatchObject({ state: 'message_gone' });
  });

  it('GIT-3 is nothing that is sure where GitHub broke: a write is unknown, a read is tried again', async () => {
    github.once(({ method }) => method === 'POST', refusal(502, 'Server Error'));
    expect(await fails(post())).toBeInstanceOf(OutcomeUnknown);
    github.once(({ method }) => method === 'GET', refusal(502, 'Server Error'));
    expect(await fails(control.ensureThread(WANTED, connection, signal))).toMatchObject({ state: 'unavailable' });
    const away = await GithubServer.start();
    const nowhere = connected(away);
    await away.close();
    expect(await fails(control.post(THREAD, { text: 'x', key: KEY }, nowhere, signal))).toMatchObject({ state: 'unavailable' });
  });
});
