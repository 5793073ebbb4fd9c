import { type Fields, fields, known, type ProviderEvent, word } from 'throughline/plugin';

const LONGEST_ID = 255;

/** What is known about an event beside the event itself. */
export interface Surroundings {
  /** Name of the room in the configuration. */
  readonly room: string;
  readonly roomId: string;
  /** Id of the room that this one has replaced. */
  readonly movedFrom?: string | undefined;
  /** Display name of the sender. */
  readonly author?: string | undefined;
  /** Who wrote the message that an edit changes. */
  readonly originalSender?: string | undefined;
}

/** What an event of a room is to a conversation. */
export type Role = 'message' | 'edit' | 'redaction' | 'tombstone' | 'own_leave' | null;

/** Null: nothing that a conversation is told of. `user`: the account, whose own words are not read. */
export function roleOf(event: Fields, user: string): Role {
  const id = word(event.event_id);
  const [content, sender] = [fields(event.content) ?? {}, word(event.sender)];
  if (id === undefined || id.length > LONGEST_ID || sender === undefined) return null;
  switch (event.type) {
    case 'm.room.message':
      return sender === user || isRedacted(event) ? null : roleOfMessage(content);
    case 'm.room.redaction':
      return redactedBy(event) === undefined ? null : 'redaction';
    case 'm.room.tombstone':
      return event.state_key === '' ? 'tombstone' : null;
    case 'm.room.member':
      return event.state_key === user && (content.membership === 'leave' || content.membership === 'ban') ? 'own_leave' : null;
    default:
      return null;
  }
}

/** The message that an edit replaces; the relation stands in the clear also where the rest is encrypted. */
export function editedBy(content: Fields): string | undefined {
  const relation = fields(content['m.relates_to']);
  return relation?.rel_type === 'm.replace' ? word(relation.event_id) : undefined;
}

/** Since version 11 of rooms in the content, before beside it. */
export function redactedBy({ content, redacts }: Fields): string | undefined {
  return word(fields(content)?.redacts) ?? word(redacts);
}

export function isEncrypted({ type }: Fields): boolean {
  return type === 'm.room.encrypted';
}

export function isRedacted(event: Fields): boolean {
  return fields(fields(event.unsigned)?.redacted_because) !== undefined;
}

const KEYS: Readonly<Record<Exclude<Role, null>, string>> = {
  message: 'message.created',
  edit: 'message.edited',
  redaction: 'message.redacted',
  tombstone: 'room.upgraded',
  own_leave: 'room.left',
};

/** An event as the parser gets it, without what the homeserver says anew each time. */
export function providerEvent(
  role: Exclude<Role, null>,
  event: Fields,
  { room, roomId, movedFrom, author, originalSender }: Surroundings,
): ProviderEvent {
  const { unsigned: _, room_id: __, ...lasting } = event;
  const about = known({ moved_from: movedFrom, author, original_sender: originalSender });
  const payload = { room, room_id: roomId, event: lasting, ...about };
  return { deliveryId: String(event.event_id), eventKey: KEYS[role], payload };
}

/** A message whose key never came: kept for the record. */
export function unreadable(event: Fields, { room, roomId }: Surroundings, reason: string): ProviderEvent {
  const { event_id: id, sender, origin_server_ts: at } = event;
  const payload = { room, room_id: roomId, reason, event: { event_id: id, sender, origin_server_ts: at, type: 'm.room.encrypted' } };
  return { deliveryId: String(id), eventKey: 'message.unreadable', payload };
}

/** The room had said more than is read after a gap. */
export function cutHistory({ room, roomId }: Surroundings, from: string, reason: string): ProviderEvent {
  const payload = { room, room_id: roomId, reason, from };
  return { deliveryId: `cut:${room}:${from}`.slice(0, LONGEST_ID), eventKey: 'room.history_cut', payload };
}

function roleOfMessage(content: Fields): Role {
  if (editedBy(content) !== undefined) return isText(fields(content['m.new_content'])) ? 'edit' : null;
  return isText(content) ? 'message' : null;
}

function isText(content: Fields | undefined): boolean {
  return content?.msgtype === 'm.text' && word(content.body) !== undefined;
}
