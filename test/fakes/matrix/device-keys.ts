import type { Session } from './reading.js';
import type { Json } from './world.js';

type ByUser = Record<string, Record<string, Json>>;

/** Keys of devices, and messages from device to device. It can read none of them. */
export class DeviceKeys {
  private readonly devices: ByUser = {};
  private readonly oneTime = new Map<string, [string, unknown][]>();
  private readonly queues = new Map<string, { at: number; message: Json }[]>();
  private readonly changed = new Map<string, number>();
  private position = 0;
  /** Messages to devices wait here while true. */
  isHolding = false;

  constructor(private readonly wake: () => void) {}

  /** What waited is handed on. */
  release(): void {
    this.isHolding = false;
    this.wake();
  }

  ask(what: string, session: Session, body: Json): Json {
    if (what === 'upload') return this.upload(session, body);
    if (what === 'query') return this.query(body);
    if (what === 'claim') return this.claim(body);
    return {};
  }

  send(type: string, sender: string, body: Json): Json {
    for (const [user, devices] of Object.entries((body.messages ?? {}) as ByUser)) {
      for (const [device, content] of Object.entries(devices)) {
        for (const each of device === '*' ? Object.keys(this.devices[user] ?? {}) : [device])
          this.queueOf({ user, device: each }).push({ at: ++this.position, message: { type, sender, content } });
      }
    }
    this.wake();
    return {};
  }

  /** What a sync says of keys since a position. Messages are told again until a later sync shows that they were taken. */
  syncFor(session: Session, after: number): { isNew: boolean; next: number; told: Json } {
    const queue = this.queueOf(session);
    while (queue[0] && queue[0].at <= after) queue.shift();
    const messages = this.isHolding ? [] : queue;
    const changed = [...this.changed].flatMap(([user, at]) => (at > after ? [user] : []));
    return {
      isNew: messages.length > 0,
      next: this.isHolding ? after : this.position,
      told: {
        to_device: { events: messages.map(({ message }) => message) },
        device_lists: { changed, left: [] },
        device_one_time_keys_count: { signed_curve25519: this.oneTimeOf(session).length },
        device_unused_fallback_key_types: [],
      },
    };
  }

  private upload(session: Session, { device_keys: keys, one_time_keys: more }: Json): Json {
    if (keys !== undefined) {
      this.devices[session.user] = { ...this.devices[session.user], [session.device]: keys as Json };
      this.changed.set(session.user, ++this.position);
    }
    const own = this.oneTimeOf(session);
    own.push(...Object.entries((more ?? {}) as Json));
    return { one_time_key_counts: { signed_curve25519: own.length } };
  }

  private query({ device_keys: wanted }: Json): Json {
    const users = Object.keys((wanted ?? {}) as Json);
    return { device_keys: Object.fromEntries(users.map((user) => [user, this.devices[user] ?? {}])), failures: {} };
  }

  private claim({ one_time_keys: wanted }: Json): Json {
    const claimed: Record<string, Json> = {};
    for (const [user, devices] of Object.entries((wanted ?? {}) as ByUser)) {
      for (const device of Object.keys(devices)) {
        const key = this.oneTimeOf({ user, device }).shift();
        if (key) claimed[user] = { ...claimed[user], [device]: { [key[0]]: key[1] } };
      }
    }
    return { one_time_keys: claimed, failures: {} };
  }

  private oneTimeOf({ user, device }: Session): [string, unknown][] {
    const key = `${user} ${device}`;
    const keys = this.oneTime.get(key) ?? [];
    this.oneTime.set(key, keys);
    return keys;
  }

  private queueOf({ user, device }: Session): { at: number; message: Json }[] {
    const key = `${user} ${device}`;
    const queue = this.queues.get(key) ?? [];
    this.queues.set(key, queue);
    return queue;
  }
}
