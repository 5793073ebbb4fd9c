import { describe, expect, it } from '@jest/globals';
import { changed, delivery, read } from './deliveries.js';

const AT = { 'issue.updated_at': '2024-02-01T10:00:00Z', 'pull_request.updated_at': '2024-02-01T10:00:00Z' };
const REVISION = '2024-02-01T10:00:00.000Z';

function observed(file: string, changes: Record<string, unknown> = {}) {
  const { parsed } = read(changed(file, changes));
  return { kind: parsed.kind, observation: parsed.observation };
}

describe('the end of a subject', () => {
  it.each([
    ['completed', 'completed'],
    ['not_planned', 'not_planned'],
    ['duplicate', 'duplicate'],
    [null, 'closed'],
    [undefined, 'closed'],
    [{ odd: true }, 'closed'],
  ])('GIT-2 an issue closed with state_reason %p is terminal as %s', (stateReason, reason) => {
    expect(observed('_constructed/issues.closed.completed.json', { 'issue.state_reason': stateReason, ...AT })).toEqual({
      kind: 'lifecycle',
      observation: { state: 'terminal', reason, revision: REVISION, transition: true },
    });
  });

  it('GIT-2 a closed pull request says whether it was merged', () => {
    const closed = { state: 'terminal', revision: '2019-05-15T15:21:18.000Z', transition: true };
    expect(observed('_constructed/pull_request.closed.merged.json').observation).toEqual({ ...closed, reason: 'merged' });
    expect(observed('pull_request/closed.json').observation).toEqual({ ...closed, reason: 'closed' });
  });

  it.each([
    ['issues/opened.3.json', 'deleted', '186853002#1'],
    ['issues/opened.3.json', 'transferred', '186853002#1'],
    ['discussion/transferred.json', 'deleted', '186853002#4'],
    ['discussion/transferred.json', 'transferred', '186853002#4'],
  ])('GIT-2 %s with the action %s ends its old key, although the payload still says open', (file, action, key) => {
    expect(read(changed(file, { action })).parsed).toMatchObject({
      kind: 'lifecycle',
      subject: { key },
      observation: { state: 'terminal', reason: action, transition: true },
    });
  });

  it('GIT-2 a deletion has the revision of the last update, and as a transition it beats the state carried at that revision', () => {
    const comment = observed('issue_comment/created.json', AT).observation;
    const deletion = observed('issues/opened.3.json', { action: 'deleted', ...AT }).observation;
    expect([comment?.revision, deletion?.revision]).toEqual([REVISION, REVISION]);
    expect([comment?.transition, deletion?.transition]).toEqual([false, true]);
  });

  it('GIT-2 a transfer says where the discussion goes on', () => {
    expect(read(delivery('discussion/transferred.json')).parsed).toMatchObject({
      context: {
        repository: 'Codertocat/Hello-World',
        number: 4,
      },
      movedTo: { namespace: 'github:github.com:185882436', key: '185882436#1' },
    });
  });

  it('GIT-2 a closed discussion is terminal with the reason of GitHub', () => {
    const changes = { action: 'closed', 'discussion.state': 'closed', 'discussion.state_reason': 'outdated' };
    expect(observed('discussion/edited.json', changes)).toMatchObject({
      kind: 'lifecycle',
      observation: { state: 'terminal', reason: 'outdated' },
    });
  });

  it('GIT-2 a closing without a readable instant is unversioned, never a wrong revision', () => {
    for (const updatedAt of [undefined, 'yesterday', '2024', 5, '9999-12-31T23:59:59-12:00']) {
      expect(observed('pull_request/closed.json', { 'pull_request.updated_at': updatedAt }).observation).toMatchObject({ revision: null });
    }
  });

  it('GIT-2 revisions order by plain comparison whatever the offset they were written in', () => {
    const revision = (at: string) => observed('issue_comment/created.json', { 'issue.updated_at': at }).observation?.revision;
    expect(revision('2024-02-01T11:00:00+01:00')).toBe(REVISION);
    expect(revision('2024-02-01T10:00:01Z')).toBe('2024-02-01T10:00:01.000Z');
  });
});

describe('the start of a subject', () => {
  it.each([
    ['issues/opened.3.json', '2019-05-15T15:20:18.000Z'],
    ['pull_request/opened.3.json', '2019-05-15T15:20:33.000Z'],
    ['discussion/created.2.json', '2021-03-30T20:26:24.000Z'],
    ['issues/reopened.json', '2021-10-11T16:40:56.000Z'],
    ['pull_request/reopened.json', '2019-05-15T15:20:33.000Z'],
  ])('GIT-2 TRM-8 %s is a prompt and an open transition', (file, revision) => {
    expect(observed(file)).toEqual({ kind: 'prompt', observation: { state: 'open', revision, transition: true } });
  });
});

describe('a state carried by another event', () => {
  it('GIT-2 comes with comments, reviews and labels, at the revision of the thing itself', () => {
    const open = { state: 'open', transition: false };
    expect(observed('issue_comment/created.json', AT).observation).toEqual({ ...open, revision: REVISION });
    expect(observed('issues/labeled.json', AT).observation).toEqual({ ...open, revision: REVISION });
    expect(observed('pull_request_review/submitted.json', AT).observation).toEqual({ ...open, revision: REVISION });
    expect(observed('pull_request_review_comment/created.json', AT).observation).toEqual({ ...open, revision: REVISION });
    expect(observed('discussion_comment/created.2.json').observation).toMatchObject(open);
  });

  it('GIT-2 a comment on something closed is a prompt that carries the terminal state, and no transition', () => {
    const closed = { 'issue.state': 'closed', 'issue.state_reason': 'completed', ...AT };
    expect(observed('issue_comment/created.json', closed)).toEqual({
      kind: 'prompt',
      observation: { state: 'terminal', reason: 'completed', revision: REVISION, transition: false },
    });
  });

  it('GIT-2 a comment on a merged pull request carries the merge, as issue and as review', () => {
    const asIssue = { 'issue.state': 'closed', 'issue.pull_request.merged_at': '2024-01-31T00:00:00Z', ...AT };
    expect(observed('_constructed/issue_comment.created.on-pull-request.json', asIssue).observation).toMatchObject({ reason: 'merged' });
    const asReview = { 'pull_request.state': 'closed', 'pull_request.merged_at': '2024-01-31T00:00:00Z' };
    expect(observed('pull_request_review/submitted.json', asReview).observation).toMatchObject({ state: 'terminal', reason: 'merged' });
  });

  it('GIT-2 is not guessed from words that tell neither: a discussion that is locked or converting', () => {
    expect(observed('discussion/locked.2.json').observation).toBeUndefined();
    expect(observed('discussion/labeled.json').observation).toBeUndefined();
  });

  it('GIT-2 comes with ignored events too', () => {
    expect(observed('issue_comment/deleted.2.json')).toMatchObject({
      kind: 'withdrawal',
      observation: { state: 'open', transition: false },
    });
  });
});
