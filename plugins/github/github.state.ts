import type { Observation } from 'throughline/plugin';
import { at, instantAt } from './github.shape.js';

/** The event is the opening or reopening itself. */
export function opened(thread: unknown): Observation {
  return { state: 'open', revision: instantAt(thread, 'updated_at'), transition: true };
}

/** The event is the end itself. */
export function ended(thread: unknown, reason: string | undefined): Observation {
  return { state: 'terminal', reason: reason ?? closingReason(thread), revision: instantAt(thread, 'updated_at'), transition: true };
}

/** The state that another event carries. Discussions have further words (`locked`, `converting`) that tell neither. */
export function carried(thread: unknown): Observation | null {
  const revision = instantAt(thread, 'updated_at');
  switch (at(thread, 'state')) {
    case 'open':
      return { state: 'open', revision, transition: false };
    case 'closed':
      return { state: 'terminal', reason: closingReason(thread), revision, transition: false };
    default:
      return null;
  }
}

function closingReason(thread: unknown): string {
  // A pull request seen as an issue keeps its merge under `pull_request`; reviews carry it without `merged`.
  const mergedAt = instantAt(thread, 'merged_at') ?? instantAt(thread, 'pull_request.merged_at');
  if (at(thread, 'merged') === true || mergedAt !== null) return 'merged';
  const reason = at(thread, 'state_reason');
  return typeof reason === 'string' && /^[a-z_]{1,40}$/.test(reason) ? reason : 'closed';
}
