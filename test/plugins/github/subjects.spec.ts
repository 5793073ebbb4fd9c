import { describe, expect, it } from '@jest/globals';
import { bodies, changed, delivery, json, read } from './deliveries.js';

const SUBJECT_2 = { namespace: 'github:github.com:186853002', key: '186853002#2' };

function subjectOf(file: string, changes: Record<string, unknown> = {}) {
  return read(changed(file, changes)).parsed.subject;
}

describe('the subject of a GitHub event', () => {
  it.each([
    'pull_request/opened.3.json',
    'pull_request/synchronize.json',
    'pull_request/closed.json',
    'pull_request_review/submitted.json',
    'pull_request_review_comment/created.json',
    'pull_request_review_thread/resolved.json',
    '_constructed/issue_comment.created.on-pull-request.json',
    '_constructed/check_run.requested_action.json',
    'check_run/completed.json',
    'check_suite/completed.json',
  ])('IDN-1 is one and the same for all that happens to a pull request: %s', (file) => {
    expect(subjectOf(file)).toEqual(SUBJECT_2);
  });

  it('IDN-1 is made of the repository id and the number, in one sequence for issues, pull requests and discussions', () => {
    expect(subjectOf('issues/opened.3.json')).toEqual({ namespace: 'github:github.com:186853002', key: '186853002#1' });
    expect(subjectOf('issue_comment/created.json')).toEqual({ namespace: 'github:github.com:186853002', key: '186853002#1' });
    expect(subjectOf('discussion/created.2.json')).toEqual({ namespace: 'github:github.com:186853002', key: '186853002#4' });
    expect(subjectOf('discussion_comment/created.2.json')).toEqual({ namespace: 'github:github.com:186853002', key: '186853002#4' });
  });

  it('IDN-1 stays when the repository is renamed, while the title shows the new name', () => {
    const before = read(delivery('issue_comment/created.json')).parsed;
    const after = read(delivery('_constructed/issue_comment.created.after-rename.json')).parsed;
    expect(after.subject).toEqual(before.subject);
    expect([before.title, after.title]).toEqual([
      '[Codertocat/Hello-World#1] Spelling error in the README file',
      '[Codertocat/Renamed-World#1] Spelling error in the README file',
    ]);
  });

  it('IDN-1 tells servers apart by the host of the connection', () => {
    const { subject } = read(delivery('issues/opened.3.json'), { host: 'github.example.com' }).parsed;
    expect(subject).toEqual({ namespace: 'github:github.example.com:186853002', key: '186853002#1' });
  });

  it.each([Number.MAX_SAFE_INTEGER + 1, 1.5, -1, 0, '186853002', null, undefined])(
    'IDN-1 is never made of an id that is no exact positive integer: %p',
    (id) => {
      expect(read(changed('issues/opened.3.json', { 'repository.id': id })).parsed).toEqual({
        kind: 'recorded',
        reason: 'invalid_shape',
        subject: null,
      });
      expect(read(changed('issues/opened.3.json', { 'issue.number': id })).parsed).toMatchObject({
        reason: 'invalid_shape',
        subject: null,
      });
    },
  );

  it('IDN-1 is made of digits alone in every recorded body', () => {
    for (const file of bodies) {
      const { subject } = read(delivery(file)).parsed;
      if (subject !== null) expect(`${subject.namespace} ${subject.key}`).toMatch(/^github:github\.com:(\d+) \1#\d+$/);
    }
  });
});

describe('a check or workflow', () => {
  const pull = (number: number, repository: number) => ({ number, base: { repo: { id: repository } } });

  it('GIT-1 belongs to its pull request only when it names exactly one of its own repository', () => {
    const named = (pulls: unknown) => subjectOf('check_run/completed.json', { 'check_run.pull_requests': pulls });
    expect(named([pull(2, 186853002)])).toEqual(SUBJECT_2);
    expect(named([pull(2, 186853002), pull(9, 1)])).toEqual(SUBJECT_2);
    expect(named([pull(2, 186853002), pull(3, 186853002)])).toBeNull();
    expect(named([pull(2, 1)])).toBeNull();
    expect(named([{ number: 2 }])).toBeNull();
    expect(named([])).toBeNull();
    expect(named(null)).toBeNull();
  });

  it('GIT-1 goes by the same rule for suites and workflow runs', () => {
    const pulls = [pull(2, 186853002)];
    expect(subjectOf('check_suite/completed.2.json', { 'check_suite.pull_requests': pulls })).toEqual(SUBJECT_2);
    const run = changed('workflow_run/completed.json', { 'workflow_run.pull_requests': [pull(7, 283462325)] });
    expect(read(run).parsed.subject).toEqual({ namespace: 'github:github.com:283462325', key: '283462325#7' });
  });

  it('GIT-1 is told by its commit where it names no pull request, and by nothing where it names several', () => {
    const landmark = { namespace: SUBJECT_2.namespace, name: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821' };
    for (const file of ['_constructed/check_run.completed.from-fork-no-prs.json', 'check_suite/completed.2.json'])
      expect(read(delivery(file)).parsed).toMatchObject({ subject: null, landmark });
    const head = changed('check_run/completed.json', { 'check_run.pull_requests': [pull(2, 186853002), pull(3, 186853002)] });
    expect(read(head).parsed).not.toHaveProperty('landmark');
    expect(read(delivery('check_run/completed.json')).parsed).not.toHaveProperty('landmark');
    expect(read(changed('workflow_run/completed.json', { 'workflow_run.head_sha': 'main' })).parsed).not.toHaveProperty('landmark');
    for (const file of ['pull_request/synchronize.json', 'pull_request_review/submitted.json', 'pull_request/closed.json'])
      expect(read(delivery(file)).parsed).toMatchObject({ subject: SUBJECT_2, landmark, observation: expect.anything() });
  });

  it('GIT-1 is a commit status too, by its commit; one that is pending has not finished', () => {
    const landmark = { namespace: SUBJECT_2.namespace, name: '6113728f27ae82c7b1a177c8d03f9e96e0adf246' };
    const { parsed } = read(delivery('status/payload.3.json'));
    expect(parsed).toMatchObject({ kind: 'prompt', subject: null, landmark, title: '[Codertocat/Hello-World] default' });
    expect('text' in parsed && parsed.text).toMatch(
      /^The status default is success for commit 6113728 of Codertocat\/Hello-World\.\nhttps/,
    );
    const failed = read(changed('status/payload.3.json', { state: 'failure', description: '2 tests failed' })).parsed;
    expect('text' in failed && failed.text).toMatch(/ is failure for commit 6113728 of Codertocat\/Hello-World: 2 tests failed\./);
    expect(read(changed('status/payload.3.json', { state: 'pending' })).parsed).toMatchObject({ kind: 'ignored', reason: 'not_finished' });
    expect(read(changed('status/payload.3.json', { state: undefined })).parsed).toMatchObject({ reason: 'invalid_shape' });
  });

  it('GIT-1 has no subject when it comes from a fork, and is a prompt all the same', () => {
    const { parsed } = read(delivery('_constructed/check_run.completed.from-fork-no-prs.json'));
    expect(parsed).toMatchObject({ kind: 'prompt', subject: null, title: '[Codertocat/Hello-World] Octocoders-linter' });
  });
});

describe('events without a subject', () => {
  it('GIT-1 a push is a prompt about nothing numbered', () => {
    const { eventKey, parsed } = read(delivery('push/payload.5.json'));
    expect(eventKey).toBe('push');
    expect(parsed).toMatchObject({ kind: 'prompt', subject: null, title: '[Codertocat/Hello-World] refs/heads/master' });
    expect(parsed).not.toHaveProperty('observation');
  });

  it.each([
    'release/published.json',
    'commit_comment/created.json',
    'workflow_dispatch/payload.json',
    'repository_dispatch/on-demand-test.json',
  ])('GIT-1 %s is a prompt without subject', (file) =>
    expect(read(delivery(file)).parsed).toMatchObject({ kind: 'prompt', subject: null }),
  );

  it.each([
    ['ping/payload.json', 'ping'],
    ['ping/payload.4.json', 'ping'],
    ['_constructed/ping.payload.form-urlencoded.txt', 'ping'],
    ['installation/created.json', 'administration'],
    ['installation_repositories/added.json', 'administration'],
    ['meta/deleted.json', 'administration'],
    ['repository/transferred.2.json', 'administration'],
    ['deployment_status/created.json', 'machine_report'],
  ])('GIT-1 %s is recorded as %s', (file, reason) => {
    expect(read(delivery(file)).parsed).toMatchObject({ kind: 'recorded', reason, subject: null });
  });
});

describe('what GitHub may send one day', () => {
  it('ING-4 GIT-1 an unknown event is recorded, whatever its payload is', () => {
    const headers = { 'x-github-event': 'quantum_merge' };
    const unknown = { kind: 'recorded', reason: 'unknown_event', subject: null };
    expect(read(json(headers, { action: 'created' }))).toEqual({ eventKey: 'quantum_merge.created', parsed: unknown });
    expect(read(json(headers, [])).parsed).toEqual(unknown);
  });

  it('ING-4 GIT-2 an unknown action of a known event is recorded with its subject and the state that it carries', () => {
    expect(read(changed('issues/opened.3.json', { action: 'field_added' })).parsed).toMatchObject({
      kind: 'recorded',
      reason: 'unknown_event',
      subject: { key: '186853002#1' },
      observation: { state: 'open', transition: false, revision: '2019-05-15T15:20:18.000Z' },
    });
  });

  it('GIT-1 names of a prototype are neither events nor actions', () => {
    expect(read(json({ 'x-github-event': 'constructor' }, {})).parsed).toMatchObject({ reason: 'unknown_event' });
    expect(read(changed('issues/opened.3.json', { action: 'constructor' })).parsed).toMatchObject({ reason: 'unknown_event' });
  });

  it('GIT-1 the event header decides, not the look of the payload', () => {
    const asPush = delivery('issues/opened.3.json', { 'x-github-event': 'release' });
    expect(read(asPush)).toMatchObject({ eventKey: 'release.opened', parsed: { kind: 'recorded', reason: 'unknown_event' } });
    const asDispatch = delivery('issue_comment/created.json', { 'x-github-event': 'repository_dispatch' });
    expect(read(asDispatch).parsed).toMatchObject({ kind: 'recorded', reason: 'invalid_shape' });
  });
});
