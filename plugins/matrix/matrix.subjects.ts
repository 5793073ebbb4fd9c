import {
  type AuthenticEvent,
  type Author,
  type Connection,
  type Endpoint,
  type Fields,
  fields,
  instantRevision,
  known,
  type Parsed,
  type Recorded,
  type SubjectParser,
  word,
} from 'throughline/plugin';
import type { MatrixConnection } from './matrix.options.js';
import { messageTextOf, threadOf } from './message-text.js';
import { messageKeyOf, subjectOf, urlOf } from './place.js';
import { editedBy, redactedBy } from './room-events.js';

type At = AuthenticEvent<MatrixConnection>;

/** The rooms, as places that routes are bound to. */
export function endpointsOf({ name, options: { user, rooms } }: Connection<MatrixConnection>): Endpoint[] {
  return [...rooms].map(([room, { id, title = room }]) => ({ name: room, subject: subjectOf(user, name, room, id), title }));
}

interface Scene {
  readonly event: Fields;
  readonly content: Fields;
  readonly payload: Fields;
  readonly roomId: string;
  readonly room: string;
  readonly about: About;
}

type About = Pick<Recorded, 'subject' | 'title' | 'url' | 'endpoint' | 'occurredAt' | 'author' | 'thread'>;

type Reader = (scene: Scene, at: At) => Parsed | undefined;

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['message.created', parseMessage],
  ['message.edited', parseEdit],
  ['message.redacted', parseRedaction],
  ['message.unreadable', ({ about, payload }) => ({ ...about, kind: 'recorded', reason: word(payload.reason) ?? 'undecryptable' })],
  ['room.history_cut', ({ about }) => ({ ...about, kind: 'recorded', reason: 'history_cut' })],
  ['room.left', ({ about }) => ({ ...about, kind: 'recorded', reason: 'room_left' })],
  ['room.upgraded', parseUpgrade],
]);

/** From an event of a room, as the poller hands it over, to the room that it is about. */
export class MatrixSubjects implements SubjectParser<MatrixConnection> {
  parse(at: At): Parsed {
    const read = READERS.get(at.eventKey);
    if (!read) return recorded('unknown_event');
    const scene = sceneOf(at);
    return (scene && read(scene, at)) ?? recorded('invalid_shape');
  }
}

function parseMessage({ about, event, content, payload, roomId, room }: Scene, { connection }: At): Parsed | undefined {
  const [id, text] = [word(event.event_id), messageTextOf(content)];
  if (!id || !about.author) return undefined;
  if (text === undefined) return { ...about, kind: 'ignored', reason: 'no_text' };
  const before = word(payload.moved_from);
  const movedFrom = before === undefined ? undefined : subjectOf(connection.options.user, connection.name, room, before);
  return { ...about, kind: 'prompt', text, ...known({ messageKey: messageKeyOf(roomId, id), movedFrom }) };
}

/** https://spec.matrix.org/v1.18/client-server-api/#validity-of-replacement-events: nobody edits what another one wrote. */
function parseEdit({ about, event, content, payload, roomId }: Scene): Parsed | undefined {
  const [original, text] = [editedBy(content), messageTextOf(fields(content['m.new_content']) ?? {})];
  if (!original || !about.author) return undefined;
  if (payload.original_sender !== event.sender) return { ...about, kind: 'ignored', reason: 'edited_by_another' };
  const messageKey = messageKeyOf(roomId, original);
  if (!messageKey || text === undefined) return { ...about, kind: 'ignored', reason: 'edited' };
  return { ...about, kind: 'edit', messageKey, text, revision: instantRevision(event.origin_server_ts) };
}

/** The homeserver lets through only redactions by the author, or by somebody with the power for it. */
function parseRedaction({ about, event, roomId }: Scene): Parsed | undefined {
  const target = redactedBy(event);
  if (!target) return undefined;
  const messageKey = messageKeyOf(roomId, target);
  return messageKey ? { ...about, kind: 'withdrawal', messageKey } : { ...about, kind: 'ignored', reason: 'redacted' };
}

/** Nothing ends: the first message in the new room says that its conversation goes on there. */
function parseUpgrade({ about, payload }: Scene): Parsed {
  return { ...about, kind: 'recorded', reason: word(payload.successor) === undefined ? 'unverified_upgrade' : 'upgraded' };
}

function sceneOf({ payload: given, connection: { name, options } }: At): Scene | undefined {
  const payload = fields(given);
  const [event = {}, room, roomId] = [fields(payload?.event), word(payload?.room), word(payload?.room_id)];
  if (!payload || !room || !roomId) return undefined;
  const content = fields(event.content) ?? {};
  const root = threadOf(content);
  const about = {
    subject: subjectOf(options.user, name, room, roomId),
    title: options.rooms.get(room)?.title ?? room,
    endpoint: room,
    url: urlOf(roomId, word(event.event_id)),
    ...known({
      occurredAt: instantRevision(event.origin_server_ts) ?? undefined,
      author: authorOf(event, payload, options),
      thread: root === undefined ? undefined : messageKeyOf(roomId, root),
    }),
  };
  return { event, content, payload, roomId, room, about };
}

function authorOf({ sender }: Fields, { author }: Fields, { user, bot }: MatrixConnection): Author | undefined {
  const id = word(sender);
  if (id === undefined) return undefined;
  const isSelf = bot && id === user;
  return { id, name: word(author) ?? id, handle: null, isBot: isSelf, ...(isSelf ? { isSelf } : {}) };
}

function recorded(reason: string): Parsed {
  return { kind: 'recorded', reason, subject: null };
}
