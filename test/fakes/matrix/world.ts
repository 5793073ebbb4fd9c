export type Json = Record<string, unknown>;

export interface RoomEvent extends Json {
  readonly event_id: string;
  readonly type: string;
  readonly sender: string;
  readonly origin_server_ts: number;
  readonly state_key?: string;
  content: Json;
  unsigned?: Json;
}

/** An event with its place in the order in which the homeserver got all events. */
export interface Placed {
  readonly at: number;
  readonly event: RoomEvent;
  /** The device and transaction that sent it. */
  readonly by?: { readonly device: string; readonly transaction: string };
}

export interface Room {
  readonly id: string;
  readonly timeline: Placed[];
}

export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly more: Json = {},
  ) {
    super(message);
  }
}

export const ADA = '@ada:example.org';
export const BOB = '@bob:example.org';
export const BRIDGE = '@whatsappbot:example.org';

/** Rooms as a homeserver keeps them. */
export class World {
  readonly rooms = new Map<string, Room>();
  private position = 1;
  private count = 0;
  /** Called whenever something was said. */
  told: () => void = () => {};
  now: () => number = Date.now;

  get end(): number {
    return this.position;
  }

  /** A room that these users are in. */
  addRoom(id: string, members: readonly string[] = [ADA, BOB], created: Json = {}): Room {
    const room = { id, timeline: [] };
    this.rooms.set(id, room);
    const [maker = BOB] = [...members].reverse();
    this.state(id, 'm.room.create', '', { room_version: '11', ...created }, maker);
    for (const user of members) this.state(id, 'm.room.member', user, { membership: 'join', displayname: nameOf(user) }, user);
    this.state(id, 'm.room.power_levels', '', { users: { [maker]: 100, [BRIDGE]: 100 }, state_default: 50 }, maker);
    return room;
  }

  /** The room as a portal of a bridge. */
  bridge(room: string, protocol = 'whatsapp', sender = BRIDGE, isActive = true): RoomEvent {
    const content = { bridgebot: BRIDGE, protocol: { id: protocol, displayname: 'WhatsApp' }, channel: { id: '4912345' } };
    return this.state(room, 'm.bridge', protocol, isActive ? content : {}, sender);
  }

  say(room: string, body: string, sender = BOB, more: Json = {}): RoomEvent {
    return this.send(room, 'm.room.message', { msgtype: 'm.text', body, ...more }, sender);
  }

  edit(room: string, original: RoomEvent, body: string, sender = original.sender): RoomEvent {
    const more = { 'm.new_content': { msgtype: 'm.text', body }, 'm.relates_to': { rel_type: 'm.replace', event_id: original.event_id } };
    return this.say(room, `* ${body}`, sender, more);
  }

  redact(room: string, target: string, sender: string, by?: Placed['by']): RoomEvent {
    const event = this.send(room, 'm.room.redaction', { redacts: target }, sender, by);
    const placed = this.room(room).timeline.find((each) => each.event.event_id === target);
    if (placed) {
      placed.event.content = {};
      placed.event.unsigned = { redacted_because: event };
    }
    return event;
  }

  member(room: string, user: string, membership: string, sender = user): RoomEvent {
    return this.state(room, 'm.room.member', user, { membership, displayname: nameOf(user) }, sender);
  }

  /** Replaces a room by another one that points back at it. */
  upgrade(from: string, to: string, members: readonly string[] = [ADA, BOB], predecessor = from): RoomEvent {
    this.addRoom(to, members, { predecessor: { room_id: predecessor } });
    return this.state(from, 'm.room.tombstone', '', { body: 'This room has been replaced', replacement_room: to }, BOB);
  }

  state(room: string, type: string, key: string, content: Json, sender: string): RoomEvent {
    return this.append(room, { type, state_key: key, content, sender });
  }

  send(room: string, type: string, content: Json, sender: string, by?: Placed['by']): RoomEvent {
    return this.append(room, { type, content, sender }, by);
  }

  room(id: string): Room {
    const room = this.rooms.get(id);
    if (!room) throw new Refusal(404, 'M_NOT_FOUND', 'Unknown room');
    return room;
  }

  /** The present state of a room. */
  stateOf(id: string): RoomEvent[] {
    const events = this.room(id).timeline.filter(({ event }) => event.state_key !== undefined);
    return [...new Map(events.map(({ event }) => [`${event.type} ${event.state_key}`, event])).values()];
  }

  membership(id: string, user: string): string | undefined {
    return this.stateOf(id).find(({ type, state_key: key }) => type === 'm.room.member' && key === user)?.content.membership as
      | string
      | undefined;
  }

  joined(id: string): string[] {
    const members = this.stateOf(id).filter(({ type, content }) => type === 'm.room.member' && content.membership === 'join');
    return members.map(({ state_key: user }) => String(user));
  }

  private append(id: string, event: { type: string; content: Json; sender: string; state_key?: string }, by?: Placed['by']): RoomEvent {
    const at = ++this.position;
    const made: RoomEvent = { event_id: `$event-${++this.count}`, origin_server_ts: this.now(), ...event };
    this.room(id).timeline.push({ at, event: made, ...(by && { by }) });
    this.told();
    return made;
  }
}

function nameOf(user: string): string {
  const local = user.slice(1).split(':')[0] ?? '';
  return local.charAt(0).toUpperCase() + local.slice(1);
}
