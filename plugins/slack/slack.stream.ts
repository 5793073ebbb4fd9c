import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { ConfigFault, type Connection, InvalidInput, ProviderFault, type StreamSink, type StreamTransport } from 'throughline/plugin';
import { answerTo } from './command-answer.js';
import { contentOf, deliveryIdOf } from './event-identity.js';
import { eventKeyOf } from './event-key.js';
import { socketClient } from './slack.client.js';
import type { SlackConnection } from './slack.options.js';
import { type Envelope, type Hello, SocketLink } from './socket-link.js';

export interface SocketTimes {
  /** How long Slack may take to answer a ping. */
  readonly pongMs: number;
  /** How long it may take to greet. */
  readonly helloMs: number;
  /** Pause before the next try to replace a socket that is about to end. */
  readonly retryMs: number;
}

const TIMES: SocketTimes = { pongMs: 5_000, helloMs: 30_000, retryMs: 1_000 };

const log = new Logger('Slack');

/** Socket Mode: the events, interactions and commands of an app over a WebSocket. Slack tells each to one of the app's sockets. */
export class SlackStream implements StreamTransport<SlackConnection> {
  readonly kind = 'stream';

  constructor(private readonly times: SocketTimes = TIMES) {}

  usedBy({ options }: Connection<SlackConnection>): boolean {
    return options.appToken !== undefined;
  }

  async open(connection: Connection<SlackConnection>, sink: StreamSink, signal: AbortSignal): Promise<void> {
    const sockets = new Sockets(connection, sink, signal, this.times);
    try {
      await sockets.keepUp();
    } finally {
      await sockets.close();
    }
  }
}

/** One socket, and two while the first of them is about to end. */
class Sockets {
  private readonly links = new Set<SocketLink>();
  private readonly failure = Promise.withResolvers<never>();
  private readonly aborted: Promise<'aborted'>;

  constructor(
    private readonly connection: Connection<SlackConnection>,
    private readonly sink: StreamSink,
    private readonly signal: AbortSignal,
    private readonly times: SocketTimes,
  ) {
    this.failure.promise.catch(() => undefined);
    this.aborted = new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve('aborted'), { once: true });
      if (signal.aborted) resolve('aborted');
    });
  }

  /** Until one ends that was not replaced in time, or an event could not be stored: the host then asks what was missed. */
  async keepUp(): Promise<void> {
    let link = await this.connect();
    this.sink.connected();
    for (;;) {
      const event = await Promise.race([this.failure.promise, this.aborted, link.ended, link.warned]);
      if (event === 'aborted') return;
      if (event === 'ended') throw link.fault ?? new ProviderFault('the socket to Slack ended', 'transient');
      link = await this.replace(link);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.links].map((link) => link.retire()));
  }

  private async connect(): Promise<SocketLink> {
    const client = await socketClient(this.connection, this.times.pongMs, this.signal);
    const link = new SocketLink(client, (envelope) => this.take(envelope));
    this.links.add(link);
    void link.ended.then(() => this.links.delete(link));
    try {
      const greeted = await Promise.race([link.open(this.times.helloMs), this.aborted]);
      if (greeted === 'aborted') throw this.signal.reason;
      this.judge(greeted);
      return link;
    } catch (error) {
      await link.close();
      throw error;
    }
  }

  /** The next one stands before the one that is about to end is let go, so that at no time there is none to tell. */
  private async replace(old: SocketLink): Promise<SocketLink> {
    for (;;) {
      try {
        const next = await this.connect();
        void old.retire();
        return next;
      } catch (error) {
        if (error instanceof ConfigFault || this.signal.aborted || old.isOver) throw error;
        await Promise.race([old.ended, this.aborted, delay(this.times.retryMs)]);
      }
    }
  }

  private judge({ connections, app }: Hello): void {
    const { name, options } = this.connection;
    if (options.appId !== undefined && app !== undefined && app !== options.appId)
      throw new ConfigFault(`the app-level token belongs to the app ${app}, and connections.${name}.appId names ${options.appId}`);
    if (connections !== null && connections > this.links.size)
      log.warn(
        `${name}: Slack counts ${connections} sockets of this app, ${this.links.size} of them ours: others get a part of its events`,
      );
  }

  /** Acknowledged after the commit: until then Slack tells it again. */
  private async take({ payload, takesAnswer, acknowledge }: Envelope): Promise<void> {
    try {
      await this.sink.accept({
        ...{ deliveryId: deliveryIdOf(payload) ?? '', eventKey: eventKeyOf(payload), payload },
        uniqueContent: contentOf(payload),
      });
    } catch (error) {
      if (!(error instanceof InvalidInput)) return this.failure.reject(error);
      // Told again, it would be refused again.
      log.warn(`${this.connection.name}: an event was refused: ${error.message}`);
    }
    // A socket that is gone by now: Slack tells it again over another one.
    await acknowledge((takesAnswer && answerTo(payload)) || {}).catch(() => undefined);
  }
}
