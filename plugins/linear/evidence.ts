import { type CallbackEvidence, type EvidenceIds, instantRevision } from 'throughline/plugin';
import type { Envelope } from './envelope.js';
import type { Issue } from './issue.js';
import { type Fields, fields, word } from './json.js';

/** A new comment, whoever wrote it. Its id is ours where a write of ours chose it: Linear takes ids of its clients. */
export function evidenceOfComment({ organizationId: account }: Envelope, comment: Fields, issue: Issue): { evidence?: CallbackEvidence } {
  const [id, revision] = [word(comment.id), instantRevision(comment.updatedAt)];
  if (id === undefined || revision === null) return {};
  return { evidence: { account, kind: 'Comment', action: 'create', ids: { comment: id, issue: issue.id, revision }, marker: id } };
}

/** A change of an issue's state, whoever made it. */
export function evidenceOfState({ organizationId: account, action, updatedFrom }: Envelope, issue: Issue): { evidence?: CallbackEvidence } {
  const { state, updatedAt: revision } = issue;
  if (action !== 'update' || !Object.hasOwn(updatedFrom, 'stateId') || !state?.id || !state.type || !revision) return {};
  return { evidence: { account, kind: 'Issue', action, ids: { issue: issue.id, state: state.id, revision } } };
}

/** What the answer to a new comment proves. */
export function idsOfComment(written: Fields | undefined): EvidenceIds | null {
  const [id, issue, revision] = [word(written?.id), word(fields(written?.issue)?.id), instantRevision(written?.updatedAt)];
  return id && issue && revision ? { comment: id, issue, revision } : null;
}

/** What the answer to a change of state proves. */
export function idsOfState(issue: Fields | undefined): EvidenceIds | null {
  const [id, state, revision] = [word(issue?.id), word(fields(issue?.state)?.id), instantRevision(issue?.updatedAt)];
  return id && state && revision ? { issue: id, state, revision } : null;
}
