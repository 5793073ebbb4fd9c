import { Logger } from '@nestjs/common';
import { type Connection, InvalidInput, ProviderFault, type StreamSink, type StreamTransport } from 'throughline/plugin';
import type { Clients } from './clients.js';
import { registerCommands } from './commands.js';
import type { Ask, DiscordClient, GatewayEnd, GatewayListener } from './discord.api.js';
import type { DiscordConnection } from './discord.options.js';
import { DiscordFailure } from './failure.js';
import { eventsOf } from './gateway-events.js';
import { faultOfEnd, faultOfFailure } from './gateway-faults.js';
import { firstReply } from './interaction-reply.js';
import { fields } from './json.js';
import { SessionProgress } from './session-progress.js';

/** Discord beats every 41 s; discord.js itself gives up a connection whose beat was not answered until the next one. */
const SILENCE_MS = 75_000;

/** One that ends sooner would be resumed over and over without a pause. */
const STEADY_MS = 2_000;

const log = new Logger('Discord');

/** The gateway: one socket, kept up as long as the host wants it, resumed where it was left. */
export class DiscordStream implements StreamTransport<DiscordConnection> {
  readonly kind = 'stream';
  private readonly sessions = new Map<string, SessionProgress>();

  constructor(
    private readonly clients: Clients,
    readonly silenceMs = SILENCE_MS,
  ) {}

  usedBy({ options }: Connection<DiscordConnection>): boolean {
    return options.token !== undefined;
  }

  async open(connection: Connection<DiscordConnection>, sink: StreamSink, signal: AbortSignal): Promise<void> {
    const client = await this.clients.of(connection);
    const progress = this.progressOf(connection);
    for (;;) {
      const reader = new GatewayReader(client, progress, connection, sink, signal);
      const end = await reader.run();
      if (signal.aborted) return;
      // A session that stood is resumed at once. What was lost, did not stand or could not be stored, the host begins anew after a pause.
      if (reader.failure !== null) throw reader.failure;
      if (end.isLost || !reader.hasStood()) throw faultOfEnd(end);
    }
  }

  private progressOf({ org, name }: Connection): SessionProgress {
    const key = `${org}/${name}`;
    const progress = this.sessions.get(key) ?? new SessionProgress();
    this.sessions.set(key, progress);
    return progress;
  }
}

/** Reads one socket until it ends. */
class GatewayReader implements GatewayListener {
  private stoodSince: number | null = null;
  /** Why it was closed from this side. */
  failure: unknown = null;
  private readonly failed = Promise.withResolvers<void>();

  constructor(
    private readonly client: DiscordClient,
    private readonly progress: SessionProgress,
    private readonly connection: Connection<DiscordConnection>,
    private readonly sink: StreamSink,
    private readonly signal: AbortSignal,
  ) {}

  async run(): Promise<GatewayEnd> {
    const link = await this.client.connect(this).catch((error: unknown) => {
      throw faultOfFailure(error);
    });
    const aborted = Promise.withResolvers<void>();
    const abort = () => aborted.resolve();
    this.signal.addEventListener('abort', abort, { once: true });
    if (this.signal.aborted) abort();
    await Promise.race([link.ended, aborted.promise, this.failed.promise]);
    this.signal.removeEventListener('abort', abort);
    // Another replica, or the next start, begins a session of its own; this one goes on with it in all other cases.
    const keep = !this.signal.aborted || this.signal.reason instanceof ProviderFault;
    await link.close(keep);
    const end = await link.ended;
    this.progress.interrupt(end.isLost);
    return end;
  }

  hasStood(): boolean {
    return this.stoodSince !== null && performance.now() - this.stoodSince >= STEADY_MS;
  }

  session() {
    return this.progress.current();
  }

  ready(session: NonNullable<ReturnType<SessionProgress['current']>>, application: { readonly id: string }): void {
    this.progress.begin(session);
    this.stand();
    void registerCommands(this.client.ask, application.id, this.signal).catch((error: unknown) => {
      if (!this.signal.aborted) log.warn(`${this.connection.name}: the slash commands are not registered: ${messageOf(error)}`);
    });
  }

  resumed(): void {
    this.stand();
  }

  heard(): void {
    this.sink.heard();
  }

  dispatch(name: string, data: unknown, sequence: number): void {
    const stored = this.progress.take(sequence);
    const events = eventsOf(name, data);
    if (events.length === 0) this.heard();
    Promise.all(
      events.map(async (event) => {
        await this.sink.accept(event);
        if (name === 'INTERACTION_CREATE') void answerFirst(this.client.ask, data);
      }),
    ).then(stored, (error: unknown) => this.refuse(error, stored));
  }

  private stand(): void {
    this.stoodSince = performance.now();
    this.sink.connected();
  }

  /** What no store would ever take is let go; for anything else Discord is made to tell it again. */
  private refuse(error: unknown, stored: () => void): void {
    if (error instanceof InvalidInput) {
      log.warn(`${this.connection.name}: an event was refused: ${error.message}`);
      stored();
    } else {
      this.failure ??= error;
      this.failed.resolve();
    }
  }
}

/** Discord waits 3 s for a first word, and shows the person a failure without it. */
async function answerFirst(ask: Ask, data: unknown): Promise<void> {
  const { id, token } = fields(data) ?? {};
  await ask({ method: 'POST', path: `/interactions/${id}/${token}/callback`, body: firstReply(data), auth: false }).catch(
    (error: unknown) => {
      // Answered before (40060), or told again long after (10062): the person has had an answer, or has none to get.
      if (!(error instanceof DiscordFailure && error.is(40060, 10062))) log.warn(`an interaction got no first answer: ${messageOf(error)}`);
    },
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
