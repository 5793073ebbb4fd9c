import { type Answer, type Call, FaultServer } from '../fault-server.js';
import { DeviceKeys } from './device-keys.js';
import { history, type Session, shown, syncRooms } from './reading.js';
import { ADA, BOB, type Json, Refusal, type RoomEvent, World } from './world.js';

const API = '/_matrix/client/v3';

export const PASSWORD = 'correct horse battery staple';

interface Token extends Session {
  readonly state: 'valid' | 'soft' | 'hard';
}

/**
 * A homeserver on this machine: the client-server API (v1.18) as far as the plugin uses it. It checks tokens and memberships, keeps
 * transaction ids by device, and does badly on command.
 */
export class Homeserver extends FaultServer {
  readonly world = new World();
  readonly keys = new DeviceKeys(() => this.wake());
  /** A sync tells so many events of a room at the most. */
  mostTold = Number.POSITIVE_INFINITY;
  private readonly tokens = new Map<string, Token>();
  private readonly transactions = new Map<string, Json>();
  private waiting: (() => void)[] = [];
  private logins = 0;
  private isClosed = false;

  static async start(): Promise<Homeserver> {
    const server = await new Homeserver().listen();
    server.world.told = () => server.wake();
    return server;
  }

  /** A token for a device of a user. */
  tokenFor(user = ADA, device = 'DEVICE'): string {
    const token = `token-${user}-${device}-${++this.logins}`;
    this.tokens.set(token, { user, device, state: 'valid' });
    return token;
  }

  /** The sessions of a user end; softly: the device and its keys stay. */
  signOut(user: string, kind: 'soft' | 'hard'): void {
    for (const [token, session] of this.tokens) if (session.user === user) this.tokens.set(token, { ...session, state: kind });
  }

  called(method: string, path: RegExp): Call[] {
    return this.calls.filter((call) => call.method === method && path.test(decodeURIComponent(call.path)));
  }

  /** What was said in a room by a user. */
  said(room: string, user: string): RoomEvent[] {
    return this.world
      .room(room)
      .timeline.map(({ event }) => event)
      .filter(({ sender, state_key: key }) => sender === user && key === undefined);
  }

  override async close(): Promise<void> {
    this.isClosed = true;
    this.wake();
    await super.close();
  }

  protected async answer(call: Call): Promise<Answer> {
    try {
      const url = new URL(call.path, this.url);
      if (!url.pathname.startsWith(API)) throw new Refusal(404, 'M_UNRECOGNIZED', 'Unrecognized request');
      const parts = url.pathname
        .slice(API.length + 1)
        .split('/')
        .map(decodeURIComponent);
      const body = call.body === '' ? {} : (JSON.parse(call.body) as Json);
      return { status: 200, body: await this.perform(call, parts, url.searchParams, body) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: error.status, body: { errcode: error.code, error: error.message, ...error.more } };
    }
  }

  private async perform(call: Call, parts: readonly string[], query: URLSearchParams, body: Json): Promise<unknown> {
    const [first = '', second = ''] = parts;
    if (first === 'login') return this.login(body);
    const session = this.sessionOf(call);
    const { user, device } = session;
    if (first === 'account') return { user_id: user, device_id: device };
    if (first === 'sync') return this.sync(session, query);
    if (first === 'join') return this.join(second, user);
    if (first === 'keys') return this.keys.ask(second, session, body);
    if (first === 'sendToDevice') return this.sentOnce(call, session, () => this.keys.send(second, user, body));
    if (first === 'rooms') return this.ofRoom(call, parts.slice(1), session, query, body);
    throw new Refusal(404, 'M_UNRECOGNIZED', 'Unrecognized request');
  }

  private ofRoom(call: Call, parts: readonly string[], session: Session, query: URLSearchParams, body: Json): unknown {
    const [room = '', what = '', first = '', second = ''] = parts;
    if (this.world.membership(room, session.user) !== 'join') throw new Refusal(403, 'M_FORBIDDEN', 'You are not in the room');
    switch (what) {
      case 'messages':
        return history(this.world, room, session, query);
      case 'event':
        return shown(this.find(room, first), session);
      case 'state':
        return parts.length === 2 ? this.world.stateOf(room) : this.stateEvent(room, first, second);
      case 'joined_members':
        return { joined: Object.fromEntries(this.world.joined(room).map((user) => [user, {}])) };
      case 'send':
        return this.sentOnce(call, session, () => this.send(room, first, second, session, body));
      case 'redact':
        return this.sentOnce(call, session, () => {
          const by = { device: session.device, transaction: second };
          return { event_id: this.world.redact(room, first, session.user, by).event_id };
        });
      default:
        throw new Refusal(404, 'M_UNRECOGNIZED', 'Unrecognized request');
    }
  }

  /** https://spec.matrix.org/v1.18/client-server-api/#transaction-identifiers: the same device, path and id is the same request. */
  private sentOnce(call: Call, { device }: Session, work: () => Json): Json {
    const key = `${device} ${call.path}`;
    const answer = this.transactions.get(key) ?? work();
    this.transactions.set(key, answer);
    return answer;
  }

  private send(room: string, type: string, transaction: string, { user, device }: Session, content: Json): Json {
    const relation = content['m.relates_to'] as Json | undefined;
    if (type === 'm.reaction' && this.said(room, user).some((event) => same(event.content['m.relates_to'], relation)))
      throw new Refusal(400, 'M_DUPLICATE_ANNOTATION', 'Can not send same reaction twice');
    return { event_id: this.world.send(room, type, content, user, { device, transaction }).event_id };
  }

  private find(room: string, id: string) {
    const placed = this.world.room(room).timeline.find(({ event }) => event.event_id === id);
    if (!placed) throw new Refusal(404, 'M_NOT_FOUND', 'Event not found');
    return placed;
  }

  private stateEvent(room: string, type: string, key: string): Json {
    const event = this.world.stateOf(room).find((each) => each.type === type && each.state_key === key);
    if (!event) throw new Refusal(404, 'M_NOT_FOUND', 'Event not found');
    return event.content;
  }

  private join(room: string, user: string): Json {
    if (this.world.membership(room, user) === 'ban') throw new Refusal(403, 'M_FORBIDDEN', 'You are banned');
    this.world.member(room, user, 'join');
    return { room_id: room };
  }

  private login({ identifier, password, device_id: device }: Json): Json {
    const { user } = (identifier ?? {}) as { user?: string };
    if (user === undefined || password !== PASSWORD) throw new Refusal(403, 'M_FORBIDDEN', 'Invalid username or password');
    for (const [token, session] of this.tokens)
      if (session.device === device && session.user === user) this.tokens.set(token, { ...session, state: 'hard' });
    return { user_id: user, access_token: this.tokenFor(user, String(device)), device_id: device };
  }

  private sessionOf({ headers }: Call): Session {
    const token = this.tokens.get(headers.authorization?.replace(/^Bearer /, '') ?? '');
    if (token?.state === 'soft') throw new Refusal(401, 'M_UNKNOWN_TOKEN', 'Access token has expired', { soft_logout: true });
    if (token?.state !== 'valid') throw new Refusal(401, 'M_UNKNOWN_TOKEN', 'Unrecognised access token');
    return token;
  }

  /** Answers when there is something to say, or the time is over; a server that is being closed waits for nobody. */
  private async sync(session: Session, query: URLSearchParams): Promise<Json> {
    const until = performance.now() + Number(query.get('timeout') ?? 0);
    const since = query.get('since');
    for (;;) {
      const rooms = syncRooms(this.world, session, query, this.mostTold);
      const { isNew, next, told } = this.keys.syncFor(session, Number(/_d(\d+)$/.exec(since ?? '')?.[1] ?? 0));
      const left = until - performance.now();
      if (rooms !== null || isNew || left <= 0 || this.isClosed)
        return { next_batch: `s${this.world.end}_d${next}`, rooms: rooms ?? {}, ...told };
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  private wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

function same(a: unknown, b: unknown): boolean {
  return a !== undefined && JSON.stringify(a) === JSON.stringify(b);
}

export { ADA, BOB };
