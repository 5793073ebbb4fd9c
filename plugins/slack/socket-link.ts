import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { ProviderFault } from 'throughline/plugin';
import { type Fields, fields, word } from './json.js';
import type { SocketModeClient } from './slack.client.js';
import { faultOfFarewell, faultOfOpening } from './socket-faults.js';

/** What Slack tells over a socket: an event, an interaction or a command. */
export interface Envelope {
  readonly payload: unknown;
  /** A person reads what the acknowledgement holds. */
  readonly takesAnswer: boolean;
  acknowledge(answer: Fields): Promise<void>;
}

/** What Slack says when a socket stands. */
export interface Hello {
  /** How many sockets this app has now, whoever opened them. */
  readonly connections: number | null;
  readonly app: string | undefined;
}

/** Frames about the socket itself are short; others are not read twice. */
const LONGEST_CONTROL_FRAME = 4_096;
const LOOK_MS = 1_000;
const CLOSING_MS = 2_000;
const IN_HAND_MS = 3_000;

const log = new Logger('Slack');

/** One socket, from its opening to its end. */
export class SocketLink {
  private readonly opening = Promise.withResolvers<Hello>();
  private readonly warning = Promise.withResolvers<'warned'>();
  private readonly end = Promise.withResolvers<'ended'>();
  private readonly inHand = new Set<Promise<void>>();
  private looking: NodeJS.Timeout | undefined;
  /** Slack is about to end it, and another one is to take its place. */
  readonly warned = this.warning.promise;
  readonly ended = this.end.promise;
  isOver = false;
  /** Why it ended, where Slack said so. */
  fault: Error | null = null;

  constructor(
    private readonly client: SocketModeClient,
    take: (envelope: Envelope) => Promise<void>,
  ) {
    this.opening.promise.catch(() => undefined);
    this.readInstead();
    client.on('slack_event', (told: Fields) => {
      if (word(told.envelope_id) !== undefined) this.hold(take(envelopeOf(told)));
    });
    client.on('disconnected', () => this.finish());
    // It was told to end while it still asked for its address.
    client.on('connecting', () => {
      if (this.isOver) queueMicrotask(() => void client.disconnect());
    });
  }

  /** Resolves when Slack has greeted. */
  async open(patienceMs: number): Promise<Hello> {
    const late = new ProviderFault(`Slack did not greet within ${patienceMs} ms`, 'transient');
    const timer = setTimeout(() => this.opening.reject(late), patienceMs);
    try {
      const started = this.client.start().then(() => this.opening.promise);
      const hello = await Promise.race([started, this.opening.promise]);
      this.looking = setInterval(() => this.look(), LOOK_MS).unref();
      return hello;
    } catch (error) {
      throw this.fault ?? faultOfOpening(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Lets what is in hand be acknowledged first. */
  async retire(): Promise<void> {
    await Promise.race([Promise.allSettled(this.inHand), this.ended, delay(IN_HAND_MS, undefined, { ref: false })]);
    await this.close();
  }

  async close(): Promise<void> {
    clearInterval(this.looking);
    if (this.isOver) return;
    // The second time the SDK waits for no farewell of the other side.
    const timer = setTimeout(() => void this.client.disconnect(), CLOSING_MS);
    await this.client.disconnect();
    clearTimeout(timer);
  }

  /**
   * The SDK closes a socket as soon as Slack warns of its end, with events in hand and no other one to take its place. So it is given
   * every frame but those.
   */
  private readInstead(): void {
    const readers = this.client.listeners('ws_message');
    this.client.removeAllListeners('ws_message');
    this.client.on('ws_message', (data: unknown, isBinary: unknown) => {
      const frame = controlFrame(data);
      if (frame?.type === 'disconnect') return this.hearFarewell(word(frame.reason) ?? '');
      for (const read of readers) void Promise.resolve(read(data, isBinary)).catch(() => log.warn('a frame of Slack could not be read'));
      if (frame?.type === 'hello') this.opening.resolve(helloOf(frame));
    });
  }

  private hearFarewell(reason: string): void {
    this.fault = faultOfFarewell(reason);
    if (this.fault === null) {
      this.warning.resolve('warned');
    } else {
      this.opening.reject(this.fault);
      void this.close();
    }
  }

  private hold(work: Promise<void>): void {
    const held: Promise<void> = work.finally(() => this.inHand.delete(held));
    this.inHand.add(held);
  }

  /** A ping that was not answered makes the SDK say farewell, and wait half a minute for one from a line that is dead. */
  private look(): void {
    if (this.client.websocket?.isActive() !== true) void this.close();
  }

  private finish(): void {
    this.isOver = true;
    clearInterval(this.looking);
    this.end.resolve('ended');
  }
}

function envelopeOf({ body, ack, accepts_response_payload }: Fields): Envelope {
  return {
    payload: body ?? null,
    takesAnswer: accepts_response_payload === true,
    acknowledge: ack as Envelope['acknowledge'],
  };
}

function helloOf({ num_connections: connections, connection_info: info }: Fields): Hello {
  return { connections: typeof connections === 'number' ? connections : null, app: word(fields(info)?.app_id) };
}

function controlFrame(data: unknown): Fields | undefined {
  if (typeof data !== 'string' || data.length > LONGEST_CONTROL_FRAME) return undefined;
  try {
    return fields(JSON.parse(data));
  } catch {
    return undefined;
  }
}
