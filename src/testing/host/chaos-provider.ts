import { createHmac, randomUUID } from 'node:crypto';
import { OutcomeUnknown, type PluginDefinition, ProviderFault, type Subject } from '../../plugin/index.js';
import type { ChaosCall, ChaosEvent, ChaosManner, ChaosWorld, ChaosWrite } from './chaos-event.js';
import { chaosPlugin } from './chaos-plugin.js';
import { FakeClock } from './fake-clock.js';
import { Seeded } from './seeded.js';
import type { Answered, PostedRequest } from './test-host.js';

const TENANT = 'acme';

/** How badly events are sent. */
export interface Storm {
  /** The same events with the same seed are sent in the same order. Default 1. */
  readonly seed?: number;
  /** How often an event is sent at the most. Default 3. */
  readonly copies?: number;
  /** How many requests are on their way at one time. Default 4. */
  readonly together?: number;
  /** Name of the connection. Default `chaos`. */
  readonly connection?: string;
}

/** Where requests are posted: a `TestHost`. */
export interface Posting {
  post(connection: string, request: PostedRequest): Promise<Answered>;
}

/**
 * A provider in memory, with things that people talk about. It sends its events several times and in any order, loses answers, refuses, and
 * breaks, all on command.
 */
export class ChaosProvider implements ChaosWorld {
  readonly plugin: PluginDefinition;
  /** Every event, in the order in which it happened, whether it was sent or not. */
  readonly events: ChaosEvent[] = [];
  /** What was written by tools. */
  readonly writes: ChaosWrite[] = [];
  /** Things whose end was settled by the plugin's lifecycle handler, once for each call. */
  readonly settled: string[] = [];
  private readonly secret = randomUUID();
  private readonly closed = new Set<string>();
  private readonly manners: { readonly call: ChaosCall; readonly manner: ChaosManner }[] = [];

  constructor(private readonly clock: FakeClock = new FakeClock()) {
    this.plugin = chaosPlugin(this);
  }

  /** For `connections` of a configuration. */
  get connection(): { readonly plugin: 'chaos'; readonly secret: string } {
    return { plugin: 'chaos', secret: this.secret };
  }

  /** What events about a thing are about. */
  subject(thing: string): Subject {
    return { namespace: `chaos:${TENANT}:thing`, key: thing };
  }

  isOpen(thing: string): boolean {
    return !this.closed.has(thing);
  }

  /** A person says something about a thing. */
  say(thing: string, text: string, author = 'ada'): ChaosEvent {
    return this.note({ action: 'said', thing, text, author });
  }

  /** Ends the thing. */
  close(thing: string, author = 'ada'): ChaosEvent {
    this.closed.add(thing);
    return this.note({ action: 'closed', thing, author });
  }

  reopen(thing: string, author = 'ada'): ChaosEvent {
    this.closed.delete(thing);
    return this.note({ action: 'reopened', thing, author });
  }

  /** What the provider tells of a write of ours. */
  callback({ id, thing, text, key }: ChaosWrite): ChaosEvent {
    return this.note({ action: 'said', thing, text, author: 'agent', write: { id, key } });
  }

  /** The next call of this kind goes wrong in this manner. */
  once(call: ChaosCall, manner: ChaosManner): this {
    this.manners.push({ call, manner });
    return this;
  }

  /** The request that brings an event. */
  request(event: ChaosEvent): PostedRequest {
    const body = JSON.stringify(event);
    const signature = createHmac('sha256', this.secret).update(body).digest('hex');
    return { body, headers: { 'content-type': 'application/json', 'x-chaos-id': event.id, 'x-chaos-signature': signature } };
  }

  /** Sends the events as providers do at their worst. What is not taken is sent again. Resolves to how many requests that took. */
  async storm(host: Posting, events: readonly ChaosEvent[], storm: Storm = {}): Promise<number> {
    const { seed = 1, copies = 3, together = 4, connection = 'chaos' } = storm;
    const chance = new Seeded(seed);
    const waiting = chance.shuffled(events.flatMap((event) => Array<ChaosEvent>(chance.between(1, copies)).fill(event)));
    let sent = 0;
    const send = async () => {
      for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) {
        sent += 1;
        const { status } = await host.post(connection, this.request(event));
        if (status >= 500) waiting.push(event);
        else if (status !== 200) throw new Error(`the host answered ${status} to the event ${event.id}`);
      }
    };
    await Promise.all(Array.from({ length: together }, send));
    return sent;
  }

  /** A tool writes. */
  write(thing: string, text: string, key: string): ChaosWrite {
    const manner = this.mannerOf('write');
    if (manner === 'refuse') throw new ProviderFault('the provider refuses on command', 'permanent');
    if (manner === 'break') throw new ProviderFault('the provider is down on command', 'transient');
    const written = { id: `w-${this.writes.length + 1}`, thing, text, key };
    this.writes.push(written);
    if (manner === 'lose') throw new OutcomeUnknown('the answer is lost on command');
    return written;
  }

  /** Throws where a read or a settlement is to go wrong. */
  assertUp(call: Exclude<ChaosCall, 'write'>): void {
    const manner = this.mannerOf(call);
    if (manner === null) return;
    throw new ProviderFault(`the provider fails a call of ${call} on command`, manner === 'refuse' ? 'permanent' : 'transient');
  }

  private mannerOf(call: ChaosCall): ChaosManner | null {
    const at = this.manners.findIndex((each) => each.call === call);
    return at === -1 ? null : (this.manners.splice(at, 1)[0]?.manner ?? null);
  }

  private note(what: Pick<ChaosEvent, 'action' | 'thing' | 'author'> & Partial<ChaosEvent>): ChaosEvent {
    const count = this.events.length + 1;
    const [revision, at] = [String(count).padStart(9, '0'), this.clock.toISOString()];
    const event = {
      id: `e-${count}`,
      tenant: TENANT,
      state: this.isOpen(what.thing) ? ('open' as const) : ('closed' as const),
      revision,
      at,
      ...what,
    };
    this.events.push(event);
    return event;
  }
}
