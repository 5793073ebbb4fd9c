import { IsInt, IsOptional, IsString, Length, Matches, Max, Min } from 'class-validator';
import {
  type EffectReader,
  type EffectScope,
  type Evidence,
  InvalidInput,
  type OutboundTool,
  ProviderFault,
  type ReadTool,
  type UnknownEffect,
  word,
} from 'throughline/plugin';
import { type Binding, type BoundRoom, boundRoom } from './bound-room.js';
import type { Ciphers } from './cipher.js';
import type { Clients } from './clients.js';
import { faultOfRead, faultOfWrite, MatrixFailure } from './failure.js';
import { marked, transactionOf } from './marker.js';
import type { MatrixConnection } from './matrix.options.js';
import { findByKey } from './own-messages.js';
import { roomNameOf } from './place.js';
import { postMessage } from './post-room.js';
import { readMessages } from './read-messages.js';

const LONGEST_BODY = 20_000;
const PATIENCE_MS = 25_000;
/** Homeservers answer within seconds; clocks differ. */
const SETTLED_MS = 5 * 60_000;

export class ReadInput {
  /** How many of the newest messages. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(250)
  readonly limit: number = 50;
}

export class SendInput {
  /** The message, as plain text. */
  @IsString()
  @Length(1, LONGEST_BODY)
  @Matches(/\S/, { message: 'body must have something to read in it' })
  readonly body!: string;
}

/** The history of the conversation's own room. */
export class RouteRead implements ReadTool<MatrixConnection, ReadInput> {
  readonly name = 'matrix_route_read';
  readonly description = 'Reads the newest messages of the Matrix room that this conversation is about, oldest first.';
  readonly input = ReadInput;

  constructor(
    private readonly clients: Clients,
    private readonly ciphers: Ciphers,
  ) {}

  async read({ limit }: ReadInput, binding: Binding, signal: AbortSignal) {
    try {
      return { messages: await readMessages(await boundRoom(this.clients, this.ciphers, binding, signal), limit, signal) };
    } catch (error) {
      throw faultOfRead(error);
    }
  }
}

/** A message to the conversation's own room; what it is sent as is the host's key. */
export class RouteSend implements OutboundTool<MatrixConnection, SendInput> {
  readonly name = 'matrix_route_send';
  readonly description = 'Writes a message to the Matrix room that this conversation is about.';
  readonly input = SendInput;
  readonly isMarked = true;

  constructor(
    private readonly clients: Clients,
    private readonly ciphers: Ciphers,
  ) {}

  scope(_: SendInput, { subject, connection }: Binding): EffectScope {
    const { user } = connection.options;
    if (roomNameOf(subject, user, connection.name) === undefined)
      throw new InvalidInput('this conversation is about no room of this connection');
    return { account: user, kind: 'Message', action: 'send', subject };
  }

  async execute({ body }: SendInput, binding: Binding, key: string): Promise<Evidence> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const desk = await this.open(binding, signal);
    const { bot } = binding.connection.options;
    const content = marked({ msgtype: bot ? 'm.notice' : 'm.text', body, 'm.mentions': {} }, key);
    try {
      return { ids: { event: await postMessage(desk, desk.room, content, transactionOf('send', key), signal) } };
    } catch (error) {
      throw faultOfWrite(error);
    }
  }

  /** Until the message itself is sent, nothing was written, whatever goes wrong. */
  private async open(binding: Binding, signal: AbortSignal): Promise<BoundRoom> {
    try {
      return await boundRoom(this.clients, this.ciphers, binding, signal);
    } catch (error) {
      if (!(error instanceof MatrixFailure)) throw error;
      const { kind, message, details } = error;
      const meaning = kind === 'signed_out' ? 'unauthorized' : kind === 'refused' ? 'permanent' : 'transient';
      throw new ProviderFault(message, meaning, details.retryAfterMs ?? null, { cause: error });
    }
  }
}

/** Finds a message by its key among those that were written since. */
export class MatrixEffects implements EffectReader<MatrixConnection> {
  constructor(
    private readonly clients: Clients,
    private readonly ciphers: Ciphers,
  ) {}

  async find(
    { connection, scope, marker, attemptedAt }: UnknownEffect<MatrixConnection>,
    signal: AbortSignal,
  ): Promise<Evidence | 'absent' | 'unknown'> {
    if (scope.subject === null || marker === null) return 'unknown';
    const attempted = Date.parse(attemptedAt);
    const { room, ask, cipher } = await boundRoom(
      this.clients,
      this.ciphers,
      { connection, conversation: '', subject: scope.subject },
      signal,
    );
    const { user } = connection.options;
    const found = await findByKey(
      { ask, cipher, room, user, sinceMs: attempted - SETTLED_MS, signal },
      marker,
      transactionOf('send', marker),
    );
    const event = word(found?.event_id);
    if (event !== undefined) return { ids: { event } };
    return Date.now() - attempted > SETTLED_MS ? 'absent' : 'unknown';
  }
}
