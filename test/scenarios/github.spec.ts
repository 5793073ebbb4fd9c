import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { expectSound } from '../core/invariants.js';
import { eachDatabase, type TestDatabase } from '../databases.js';
import { turns } from '../fakes/agent/index.js';
import { REPOSITORY } from '../fakes/github/github-server.js';
import type { FakeRepository } from '../fakes/github/repository.js';
import { GithubHost, type Payload, placeOf } from './github-host.js';
import { until } from './server-process.js';

const [HEAD_1 = '', HEAD_2 = ''] = ['a', 'b'].map((digit) => digit.repeat(40));

eachDatabase('a pull request and an issue at GitHub', (make) => {
  let test: TestDatabase;
  let host: GithubHost;

  beforeEach(async () => {
    test = await make.migrated();
    turns.splice(0);
  });
  afterEach(async () => {
    await expectSound(host.server.database);
    await host.close();
    await test.drop();
  });

  const check = (sha: string, more: Payload = {}) => ({
    ...host.github.event(12, 'completed', {}),
    check_run: { id: 5, name: 'ci', conclusion: 'failure', head_sha: sha, pull_requests: [], app: { id: 3 }, ...more },
  });

  /** What both events of a transfer say of the other side. */
  const moved = (side: 'old' | 'new', number: number, { shown }: FakeRepository) => ({
    changes: { [`${side}_issue`]: { number }, [`${side}_repository`]: shown },
  });

  it('GIT-1 GIT-2 REC-5 is one conversation with its checks from a fork, and with what came while the server was down', async () => {
    host = await GithubHost.start(test);
    const { github } = host;
    const pull = github.addIssue(12, { isPullRequest: true, head: HEAD_1 });
    const conversation = placeOf(await host.post('pull_request', github.event(12, 'opened', {})));
    expect(placeOf(await host.post('check_run', check(HEAD_1)))).toBe(conversation);
    const status = { ...github.event(12, '', { action: undefined }), state: 'success', context: 'lint', sha: HEAD_1, commit: {} };
    expect(placeOf(await host.post('status', status))).toBe(conversation);
    await host.quiet();

    await host.stop();
    pull.head = HEAD_2;
    github.touch(12);
    const missed = [
      await github.hook.deliver('pull_request', github.event(12, 'synchronize', { after: HEAD_2 })),
      await github.hook.deliver('issue_comment', host.said(12, 'While you were away')),
      await github.hook.deliver('check_run', check(HEAD_2)),
    ];
    expect(missed.map(({ status: answered }) => answered)).toEqual([0, 0, 0]);
    await host.begin();
    const { body } = await host.server.ask<{ items: { name: string; sources: { kind: string }[] }[] }>('GET', '/v1/connections');
    expect(body.items.map(({ name, sources }) => [name, ...sources.map(({ kind }) => kind)])).toEqual([
      ['gh', 'poll', 'backfill'],
      ['plain'],
    ]);
    const inPlace = () => host.server.rows('select sequence from deliveries where conversation = ?', conversation);
    await until(async () => (await inPlace()).length === 6);
    await host.quiet();
    expect(host.told().slice(3)).toEqual([
      expect.stringContaining(`now at ${HEAD_2}`),
      expect.stringMatching(/^mona commented on pull request/),
      expect.stringMatching(/^The check ci completed with failure for commit bbbbbbb/),
    ]);

    const [, comment] = missed;
    const sent = github.hook.attempts.find(({ guid }) => guid === comment?.guid);
    expect(await host.post('issue_comment', { ...sent?.payload }, comment?.guid)).toMatchObject({ duplicate: true });
    expect(placeOf(await host.post('check_run', check(HEAD_1, { name: 'late' })))).not.toBe(conversation);
    pull.state = 'closed';
    github.touch(12);
    expect(await host.post('pull_request', github.event(12, 'closed', {}))).toMatchObject({ disposition: 'lifecycle', reason: 'closed' });
    expect(placeOf(await host.post('check_run', check(HEAD_2, { name: 'later' })))).not.toBe(conversation);
    await host.quiet();
    expect(await host.server.ask('GET', `/v1/conversations/${conversation}`)).toMatchObject({ body: { state: 'terminal' } });
    expect(new Set(host.told()).size).toBe(host.told().length);
  });

  it('GIT-2 IDN-1 IDN-6 EFF-3 goes on under new names and in another repository, and its agent writes there, once', async () => {
    host = await GithubHost.start(test);
    const { github } = host;
    const other = github.addRepository(REPOSITORY + 1, 'acme/web');
    const issue = github.addIssue(7);
    const conversation = placeOf(await host.post('issues', github.event(7, 'opened', {})));
    github.repository.fullName = 'acme-corp/api';
    const renamed = { action: 'renamed', repository: github.repository.shown, changes: { repository: { name: { from: 'api' } } } };
    expect(await host.post('repository', renamed)).toMatchObject({ disposition: 'recorded', reason: 'administration' });
    expect(placeOf(await host.post('issue_comment', host.said(7, 'under the new name')))).toBe(conversation);
    await host.quiet();

    github.touch(7);
    other.addIssue(34);
    issue.movedTo = `${github.url}/repositories/${other.id}/issues/34`;
    expect(await host.post('issues', github.event(7, 'transferred', moved('new', 34, other)))).toMatchObject({ reason: 'transferred' });
    await host.restart();
    const opened = github.event(34, 'opened', moved('old', 7, github.repository), other);
    expect(placeOf(await host.post('issues', opened))).toBe(conversation);
    expect(placeOf(await host.post('issue_comment', host.said(34, 'in the new place', other)))).toBe(conversation);
    await host.quiet();
    expect(await host.server.rows('select distinct conversation from deliveries')).toHaveLength(1);

    const isComment = ({ method, path }: { method: string; path: string }) => method === 'POST' && path.endsWith('/comments');
    expect(await host.comment('From the agent')).toMatchObject([{ status: 'done', ids: { issue: `${other.id}#34` } }]);
    github.once(isComment, 'drop');
    expect(await host.comment('Nobody knows')).toMatchObject([{ status: 'unknown' }]);
    const words = other.issue(34).comments.map(({ body }) => String(body).split('\n')[0]);
    expect([words, issue.comments.length]).toEqual([['in the new place', 'From the agent', 'Nobody knows'], 1]);

    const before = turns.length;
    await host.restart();
    for (const comment of other.issue(34).comments.slice(1)) {
      const echo = github.event(34, 'created', { comment }, other);
      expect(await host.post('issue_comment', echo)).toMatchObject({ disposition: 'suppressed' });
    }
    expect(placeOf(await host.post('issue_comment', host.said(34, 'a person, by the same account', other)))).toBe(conversation);
    await host.quiet();
    expect(turns).toHaveLength(before + 1);
    expect(await host.server.rows('select distinct state from effects')).toEqual([{ state: 'confirmed' }]);
  });

  it('GIT-3 CTL-3 is its own thread, in which the host comments once over a restart, also where it is transferred to', async () => {
    host = await GithubHost.start(test, { control: { connection: 'gh', parent: 'acme/api' } });
    const { github } = host;
    const other = github.addRepository(REPOSITORY + 1, 'acme/web');
    const issue = github.addIssue(7);
    await host.post('issues', github.event(7, 'opened', {}));
    await host.quiet();
    expect(issue.comments).toHaveLength(1);
    expect(issue.reactions).toContain('eyes');
    const [own] = issue.comments;
    expect(await host.post('issue_comment', github.event(7, 'created', { comment: own }))).toMatchObject({ reason: 'own_message' });
    await host.restart();
    await host.post('issue_comment', host.said(7, 'and then?'));
    await host.quiet();
    expect(issue.comments.map(({ body }) => String(body).split('\n')[0])).toEqual(['ok', 'and then?', 'ok']);

    github.touch(7);
    other.addIssue(34);
    issue.movedTo = `${github.url}/repositories/${other.id}/issues/34`;
    await host.post('issues', github.event(7, 'transferred', moved('new', 34, other)));
    await host.post('issues', github.event(34, 'opened', moved('old', 7, github.repository), other));
    await host.quiet();
    await host.post('issue_comment', host.said(34, 'still there?', other));
    await host.quiet();
    expect(other.issue(34).comments.at(-1)?.body).toMatch(/^ok\n/);
    expect(issue.comments).toHaveLength(3);
    expect(turns.every(({ conversation }) => conversation.id === turns[0]?.conversation.id)).toBe(true);
  });
});
