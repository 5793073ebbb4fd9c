import { instantRevision, type Observation } from 'throughline/plugin';
import type { Envelope } from './envelope.js';
import type { Issue } from './issue.js';

const TERMINAL_TYPES: ReadonlySet<string> = new Set(['completed', 'canceled', 'duplicate']);
const OPEN_TYPES: ReadonlySet<string> = new Set(['triage', 'backlog', 'unstarted', 'started']);

/** Changes of these properties are changes of the issue's life. */
const LIFE_PROPERTIES = ['stateId', 'trashed', 'archivedAt'];
/** Those of them with which Linear need not touch `updatedAt`. */
const UNTOUCHED = ['trashed', 'archivedAt'];
const LIFE_ACTIONS: ReadonlySet<string> = new Set(['create', 'remove', 'restore']);

/** What an Issue event says about the issue's life; nothing when the state has a type that is not known. */
export function observeChange(envelope: Envelope, issue: Issue): Observation | undefined {
  const { action, updatedFrom } = envelope;
  const transition = LIFE_ACTIONS.has(action) || (action === 'update' && LIFE_PROPERTIES.some((name) => Object.hasOwn(updatedFrom, name)));
  const ended = action === 'remove' ? 'deleted' : endOf(issue);
  const isUntouched = action === 'remove' || action === 'restore' || UNTOUCHED.some((name) => Object.hasOwn(updatedFrom, name));
  const revision = isUntouched ? latest(issue.updatedAt, envelope.occurredAt) : (issue.updatedAt ?? null);
  return observation(issue, ended, revision, transition);
}

/** What an issue says about its life that was read, or came with an event of another kind. */
export function observeCarried(issue: Issue): Observation | undefined {
  return observation(issue, endOf(issue), latest(issue.updatedAt, issue.archivedAt), false);
}

function observation(issue: Issue, ended: string | undefined, revision: string | null, transition: boolean): Observation | undefined {
  if (ended) return { state: 'terminal', reason: ended, revision, transition };
  return OPEN_TYPES.has(issue.state?.type ?? '') ? { state: 'open', revision, transition } : undefined;
}

/** Why the issue is over, or nothing while it is not. The state's type decides, never its name. */
function endOf({ state, trashed, archivedAt }: Issue): string | undefined {
  if (state?.type && TERMINAL_TYPES.has(state.type)) return state.type;
  if (trashed) return 'deleted';
  return archivedAt ? 'archived' : undefined;
}

// Linear need not touch `updatedAt` when it moves an issue into the trash or the archive; the instant of that is then the revision.
function latest(...instants: readonly (string | undefined)[]): string | null {
  return instantRevision(
    instants
      .filter((instant) => instant !== undefined)
      .sort()
      .at(-1),
  );
}
