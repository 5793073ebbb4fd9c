import type { Subject } from 'throughline/plugin';

const LONGEST_KEY = 255;

/** Whose room it is, and by which name it is configured: the same room read by another account is another subject. */
export function subjectOf(user: string, connection: string, room: string, roomId: string): Subject {
  return { namespace: `matrix:${user}:${connection}:${room}:room`, key: roomId };
}

/** The name of the room that a subject of this connection is about. */
export function roomNameOf({ namespace }: Subject, user: string, connection: string): string | undefined {
  const [before, after] = [`matrix:${user}:${connection}:`, ':room'];
  if (!namespace.startsWith(before) || !namespace.endsWith(after)) return undefined;
  return namespace.slice(before.length, -after.length) || undefined;
}

/** The message itself, as reactions and edits of the API need it; none where it is longer than the host keeps. */
export function messageKeyOf(roomId: string, event: string): string | undefined {
  const key = `${roomId}/${event}`;
  return key.length <= LONGEST_KEY ? key : undefined;
}

/** Ids of events hold no `!`, ids of rooms may hold a `/`: the event is what comes after the last one. */
export function partsOf(key: string): { readonly room: string; readonly event: string } | undefined {
  const at = key.lastIndexOf('/$');
  return at <= 0 ? undefined : { room: key.slice(0, at), event: key.slice(at + 1) };
}

export function urlOf(roomId: string, event?: string): string {
  return `https://matrix.to/#/${[roomId, event]
    .filter((part) => part !== undefined)
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join('/')}`;
}
