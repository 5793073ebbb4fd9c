import { instantRevision, type Parsed } from 'throughline/plugin';
import { type Fields, fields } from './json.js';
import { aboutPlace, placeOf } from './place.js';

/** Discord deletes no thread by itself. */
export function parseThreadDeleted(thread: Fields): Parsed | undefined {
  const place = placeOf(thread.guild_id, thread.id);
  if (!place) return undefined;
  const observation = { state: 'terminal', reason: 'deleted', revision: null, transition: true } as const;
  return { ...aboutPlace(place, undefined), kind: 'lifecycle', observation };
}

/**
 * Archived alone says nothing, since Discord archives what was silent for a while. Locked says that a moderator closed it: what Discord
 * archives by itself it never locks.
 */
export function parseThreadUpdated(thread: Fields): Parsed | undefined {
  const [place, metadata] = [placeOf(thread.guild_id, thread.id), fields(thread.thread_metadata)];
  if (!place || !metadata) return undefined;
  const about = aboutPlace(place, metadata.archive_timestamp);
  if (metadata.archived === true && metadata.locked !== true) return { ...about, kind: 'recorded', reason: 'thread_archived' };
  const isClosed = metadata.archived === true;
  const revision = instantRevision(metadata.archive_timestamp);
  if (isClosed) return { ...about, kind: 'lifecycle', observation: { state: 'terminal', reason: 'closed', revision, transition: true } };
  // Carried only: a thread that was renamed is open as well, and was before.
  return { ...about, kind: 'lifecycle', observation: { state: 'open', revision, transition: false } };
}

export function parseThreadCreated(thread: Fields): Parsed | undefined {
  const place = placeOf(thread.guild_id, thread.id);
  if (!place) return undefined;
  return { ...aboutPlace(place, fields(thread.thread_metadata)?.create_timestamp), kind: 'recorded', reason: 'thread_created' };
}
