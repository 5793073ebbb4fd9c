import type { CallbackEvidence, EvidenceIds } from 'throughline/plugin';
import { markerOf } from './github.marker.js';
import type { Place } from './github.place.js';
import { at, idAt, instantAt } from './github.shape.js';

/** What would prove an event to be the callback of a write of ours, whoever acted; null: our writes cause no such event. */
export function evidenceOf(account: string, eventKey: string, place: Place, source: unknown): CallbackEvidence | null {
  const issue = place.subject?.key;
  if (issue === undefined) return null;
  const [event, action] = eventKey.split('.');
  if (action === 'labeled' || action === 'unlabeled') {
    const ids = idsOfLabels(issue, place.thread);
    return ids && { account, kind: 'labels', action: 'set', ids };
  }
  const ids = idsOfMessage(eventKey, issue, source);
  if (ids === null || event === undefined || action === undefined) return null;
  return { account, kind: event, action, ids, marker: markerOf(at(source, 'body'))?.key ?? null };
}

function idsOfMessage(eventKey: string, issue: string, source: unknown): EvidenceIds | null {
  if (eventKey === 'issue_comment.created') return idsOfComment(issue, source);
  return eventKey === 'pull_request_review.submitted' ? idsOfReview(issue, source) : null;
}

/** Of a new comment: its id, its time and the issue that it is on, as the answer to a write tells them too. */
export function idsOfComment(issue: string, comment: unknown): EvidenceIds | null {
  const [id, revision] = [idAt(comment, 'id'), instantAt(comment, 'updated_at')];
  return id === null || revision === null ? null : { comment: String(id), issue, revision };
}

export function idsOfReview(issue: string, review: unknown): EvidenceIds | null {
  const [id, revision] = [idAt(review, 'id'), instantAt(review, 'submitted_at')];
  return id === null || revision === null ? null : { review: String(id), issue, revision };
}

/** Each label that is given or taken is an event of its own; all that one write causes show the same labels and the same time. */
export function idsOfLabels(issue: string, thread: unknown): EvidenceIds | null {
  const [labels, revision] = [at(thread, 'labels'), instantAt(thread, 'updated_at')];
  if (!Array.isArray(labels) || revision === null) return null;
  const ids = labels.map((label) => idAt(label, 'id') ?? 0).sort((one, other) => one - other);
  return { labels: ids.join(), issue, revision };
}
