import { describe, expect, it } from '@jest/globals';
import type { Prompt } from 'throughline/plugin';
import { changed, delivery, read } from './deliveries.js';

const OWN_COMMENT = '_constructed/issue_comment.created.by-own-bot.json';

function prompt(file: string, changes: Record<string, unknown> = {}): Prompt {
  const { parsed } = read(changed(file, changes));
  if (parsed.kind !== 'prompt') throw new Error(`${file} is ${parsed.kind}`);
  return parsed;
}

function textOf(file: string, changes: Record<string, unknown> = {}): string {
  return prompt(file, changes).text;
}

describe('the text of a GitHub prompt', () => {
  it('says who commented where, with a link, and gives the comment as it was written', () => {
    expect(textOf('issue_comment/created.json', { 'comment.body': 'Two lines:\n  kept as they are 🎉' })).toBe(
      'Codertocat commented on issue Codertocat/Hello-World#1 "Spelling error in the README file".\n' +
        'https://github.com/Codertocat/Hello-World/issues/1#issuecomment-492700400\n\nTwo lines:\n  kept as they are 🎉',
    );
  });

  it('CTL-3 says where the words of the author begin, so that a command in a thread is found', () => {
    const { text, lead } = prompt('issue_comment/created.json', { 'comment.body': '/approve 7f3a' });
    expect(text.slice(lead)).toBe('/approve 7f3a');
    const silent = prompt('pull_request_review/submitted.json', { 'review.body': null });
    expect(silent.lead).toBeUndefined();
  });

  it('gives title and body of what was opened', () => {
    const body = 'This is a pretty simple change that we need to pull into master.';
    expect(textOf('pull_request/opened.3.json', { 'pull_request.body': body })).toBe(
      'Codertocat opened pull request Codertocat/Hello-World#2 "Update the README with new information.".\n' +
        `https://github.com/Codertocat/Hello-World/pull/2\n\n${body}`,
    );
  });

  it('names a comment on a pull request so, although it comes as an issue comment', () => {
    expect(textOf('_constructed/issue_comment.created.on-pull-request.json')).toMatch(
      /^Codertocat commented on pull request Codertocat\/Hello-World#2 /,
    );
  });

  it('gives the verdict of a review, with words or without', () => {
    expect(textOf('_constructed/pull_request_review.submitted.approved.json')).toMatch(
      /^Codertocat submitted a review \(approved\) of pull request /,
    );
    const silent = textOf('pull_request_review/submitted.json', { 'review.body': null });
    expect(silent).toMatch(/^Codertocat submitted a review \(commented\) of pull request .*\nhttps:\S+$/);
  });

  it('gives the place of a review comment as far as it is known', () => {
    expect(textOf('pull_request_review_comment/created.2.json')).toMatch(/^Codertocat commented on README\.md line 265 in pull request /);
    expect(textOf('pull_request_review_comment/created.json')).toMatch(/^Codertocat commented on README\.md in pull request /);
  });

  it('is one sentence with a link for what was done and not written', () => {
    const link = '\nhttps://github.com/Codertocat/Hello-World/issues/1';
    const issue = 'issue Codertocat/Hello-World#1 "Spelling error in the README file"';
    expect(textOf('issues/labeled.json')).toBe(`Codertocat added the label bug to ${issue}.${link}`);
    expect(textOf('issues/assigned.json')).toBe(`Codertocat assigned Codertocat to ${issue}.${link}`);
    expect(textOf('issues/reopened.json')).toBe(`Codertocat reopened ${issue}.${link}`);
    expect(textOf('check_run/completed.json')).toMatch(
      /^The check Octocoders-linter completed with failure for pull request Codertocat\/Hello-World#2/,
    );
    expect(textOf('_constructed/check_run.requested_action.json')).toMatch(
      /for the action fix on pull request Codertocat\/Hello-World#2\.\n/,
    );
  });

  it('lists the commits of a push by their first lines, and says when there is nothing left', () => {
    const commits = Array.from({ length: 22 }, (_, n) => ({ id: `${n}`.padStart(40, 'a'), message: `Change ${n}\n\nlong story` }));
    const text = textOf('push/payload.5.json', { commits, forced: true, compare: 'https://github.com/o/r/compare/a...b' });
    expect(text.split('\n').slice(0, 5)).toEqual([
      'Codertocat pushed to refs/heads/master of Codertocat/Hello-World.',
      'https://github.com/o/r/compare/a...b',
      '',
      'The history was rewritten (forced push).',
      '- aaaaaaa Change 0',
    ]);
    expect(text).toMatch(/\n- and 2 more$/);
    expect(textOf('push/payload.2.json')).toMatch(/\n\nThe branch or tag was deleted\.$/);
  });

  it('gives the inputs of a started workflow', () => {
    expect(textOf('workflow_dispatch/payload.json', { inputs: { reason: 'nightly', dry: true, odd: {} } })).toMatch(
      /\n\n- reason: nightly\n- dry: true$/,
    );
  });

  it('keeps titles on one line and to a length, and reads no braces in them as places to fill', () => {
    const title = `Odd\n\u0007 {sender.login} [x] ${'👍'.repeat(300)}`;
    const parsed = prompt('issues/opened.3.json', { 'issue.title': title });
    expect(parsed.title).toMatch(/^\[Codertocat\/Hello-World#1\] Odd \{sender\.login\} \[x\] (👍)+…$/u);
    expect([...(parsed.title ?? '')].length).toBeLessThanOrEqual(230);
    expect(parsed.text).toMatch(/^Codertocat opened issue .*"Odd \{sender\.login\} \[x\] (👍)+…"\.\n/u);
  });

  it('never contains a link that is none', () => {
    expect(prompt('issue_comment/created.json', { 'comment.html_url': 'javascript:alert(1)' }).url).toBe(
      'https://github.com/Codertocat/Hello-World/issues/1',
    );
  });
});

describe('the author of a GitHub event', () => {
  it('ACC-6 is who wrote the words, with the association to the repository as role', () => {
    expect(prompt('issue_comment/created.json', { 'comment.author_association': 'MEMBER' }).author).toEqual({
      id: '21031067',
      name: 'Codertocat',
      isBot: false,
      roles: ['MEMBER'],
    });
  });

  it('ACC-6 is the sender for what was done, without borrowing the role of who wrote the issue', () => {
    const sender = { login: 'octocat', id: 583231, type: 'User' };
    expect(prompt('issues/labeled.json', { sender }).author).toEqual({ id: '583231', name: 'octocat', isBot: false });
    expect(prompt('issues/labeled.json').author).toMatchObject({ roles: ['OWNER'] });
  });

  it('ACC-6 falls back to the sender when the account of the comment is gone', () => {
    expect(prompt('issue_comment/created.json', { 'comment.user': null }).author).toEqual({
      id: '21031067',
      name: 'Codertocat',
      isBot: false,
    });
  });

  it('ACC-6 is a bot by its type alone', () => {
    expect(prompt(OWN_COMMENT).author).toMatchObject({ id: '90000001', isBot: true });
    expect(prompt(OWN_COMMENT, { 'comment.user.type': 'User' }).author).toMatchObject({ isBot: false });
  });
});

describe('what is our own', () => {
  const isSelf = (file: string, options: { appId?: number; botUserId?: number }, changes: Record<string, unknown> = {}) => {
    const { parsed } = read(changed(file, changes), options);
    return parsed.author?.isSelf ?? false;
  };

  it('ACC-6 B59 is known by the id of the app through which it was written, also on a shared account', () => {
    const viaApp = { 'comment.performed_via_github_app': { id: 7, slug: 'example-agent' } };
    expect(isSelf('issue_comment/created.json', { appId: 7 }, viaApp)).toBe(true);
    expect(isSelf('issue_comment/created.json', { appId: 8 }, viaApp)).toBe(false);
    expect(isSelf('issue_comment/created.json', {}, viaApp)).toBe(false);
    expect(isSelf('issue_comment/created.json', { appId: 7 })).toBe(false);
  });

  it('ACC-6 is known by the id of the bot account of the app, never by its name', () => {
    expect(isSelf(OWN_COMMENT, { botUserId: 90000001 })).toBe(true);
    expect(isSelf(OWN_COMMENT, { botUserId: 90000002 })).toBe(false);
    expect(isSelf(OWN_COMMENT, {})).toBe(false);
  });

  it('ACC-6 is never an account that a person can use, even when its id is configured as the bot', () => {
    expect(isSelf('issue_comment/created.json', { botUserId: 21031067 })).toBe(false);
  });

  it('ACC-6 is a check that our app completed, and not what a person asks of it', () => {
    expect(isSelf('check_run/completed.json', { appId: 29310 })).toBe(true);
    expect(isSelf('_constructed/check_run.requested_action.json', { appId: 29310 })).toBe(false);
  });

  it('ACC-6 is not what a person does to an issue that our app opened', () => {
    expect(isSelf('issues/labeled.json', { appId: 7 }, { 'issue.performed_via_github_app': { id: 7 } })).toBe(false);
    expect(isSelf('issues/opened.3.json', { appId: 7 }, { 'issue.performed_via_github_app': { id: 7 } })).toBe(true);
  });
});

describe('the identity of a message', () => {
  it.each([
    ['issue_comment/created.json', 'issue_comment:492700400'],
    ['pull_request_review/submitted.json', 'pull_request_review:237895671'],
    ['pull_request_review_comment/created.json', 'pull_request_review_comment:284312630'],
    ['commit_comment/created.json', 'commit_comment:33548674'],
    ['discussion_comment/created.json', 'discussion_comment:544078'],
    ['issues/opened.3.json', 'issues:444500041'],
    ['pull_request/opened.3.json', 'pull_request:279147437'],
  ])('ACC-7 of %s is %s', (file, key) => {
    expect(prompt(file).messageKey).toBe(key);
  });

  it('ACC-7 is missing for what can happen again', () => {
    expect(prompt('issues/labeled.json')).not.toHaveProperty('messageKey');
    expect(prompt('issues/reopened.json')).not.toHaveProperty('messageKey');
  });

  it.each([
    ['without an id', { 'comment.id': undefined }],
    ['without words', { 'comment.body': undefined }],
    ['with words that are no text', { 'comment.body': ['x'] }],
    ['that is none', { comment: 'x' }],
  ])('ING-4 a comment %s is recorded as invalid_shape', (_, changes) => {
    expect(read(changed('issue_comment/created.json', changes)).parsed).toMatchObject({ kind: 'recorded', reason: 'invalid_shape' });
  });
});

describe('edits and deletions', () => {
  const reasonOf = (file: string, changes: Record<string, unknown> = {}) => {
    const { parsed } = read(changed(file, changes));
    return parsed.kind === 'ignored' ? parsed.reason : parsed.kind;
  };

  it('ACC-8 an edit without a change of text never wakes', () => {
    expect(reasonOf('issues/edited.json')).toBe('no_text_change');
    expect(reasonOf('discussion_comment/edited.json')).toBe('no_text_change');
    expect(reasonOf('issues/edited.json', { action: 'edited', 'changes.base': { ref: { from: 'main' } } })).toBe('no_text_change');
  });

  it('ACC-8 an edit of title or body is told apart from it', () => {
    expect(reasonOf('issue_comment/edited.json', { 'changes.body.from': 'another' })).toBe('edit');
    expect(reasonOf('issues/edited.json', { 'changes.title': { from: 'another' } })).toBe('edit');
    expect(reasonOf('issues/edited.json', { 'changes.body': { from: null } })).toBe('edit');
    expect(reasonOf('release/edited.json', { 'changes.body': { from: 'another' } })).toBe('edited');
  });

  it.each([
    ['issue_comment/created.json', 'edited'],
    ['pull_request_review/submitted.json', 'edited'],
    ['pull_request_review_comment/created.json', 'edited'],
    ['discussion_comment/created.json', 'edited'],
    ['issues/opened.3.json', 'edited'],
    ['pull_request/opened.3.json', 'edited'],
  ])('ACC-8 the edit of %s reads like its prompt, under the same identity', (file, action) => {
    const said = prompt(file);
    const changes = { action, 'changes.body': { from: 'before' } };
    expect(read(changed(file, changes)).parsed).toMatchObject({ kind: 'edit', messageKey: said.messageKey, text: said.text });
  });

  it('ACC-8 an edit has the instant of the message as revision, and whoever edited as author', () => {
    const changes = { 'changes.body.from': 'another', 'comment.updated_at': '2024-02-01T10:00:00Z', 'sender.login': 'editor' };
    const { parsed } = read(changed('issue_comment/edited.json', changes));
    expect(parsed).toMatchObject({ kind: 'edit', revision: '2024-02-01T10:00:00.000Z', author: { name: 'editor' } });
  });

  it('ACC-8 a deleted comment is withdrawn, under the identity of the comment', () => {
    const [deleted, created] = ['issue_comment/deleted.2.json', 'issue_comment/created.json'].map((file) => read(delivery(file)).parsed);
    expect([deleted, created]).toMatchObject([{ kind: 'withdrawal' }, { kind: 'prompt' }]);
    expect(deleted).toHaveProperty('messageKey', expect.stringMatching(/^issue_comment:\d+$/));
    expect(reasonOf('pull_request_review_comment/deleted.json')).toBe('withdrawal');
    expect(read(delivery('discussion_comment/deleted.json')).parsed).toMatchObject({ kind: 'withdrawal', subject: { key: '186853002#4' } });
  });

  it('ACC-6 housekeeping and unfinished checks are ignored with a reason', () => {
    expect(reasonOf('issues/locked.2.json')).toBe('housekeeping');
    expect(reasonOf('check_run/created.json')).toBe('not_finished');
  });
});
