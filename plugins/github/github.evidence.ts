import type { CallbackEvidence } from 'throughline/plugin';
import type { Place } from './github.place.js';
import { idAt, instantAt } from './github.shape.js';

/** Of a new comment, whoever wrote it: its id, its time and the issue that it is on, as the answer to a write tells them too. */
export function evidenceOf(account: string, event: string, place: Place, source: unknown): CallbackEvidence | null {
  if (event !== 'issue_comment') return null;
  const [comment, revision, issue] = [idAt(source, 'id'), instantAt(source, 'updated_at'), place.subject?.key];
  if (comment === null || revision === null || issue === undefined) return null;
  return { account, kind: event, action: 'created', ids: { comment: String(comment), issue, revision } };
}
