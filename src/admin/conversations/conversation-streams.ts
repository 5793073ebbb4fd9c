import type { ServerResponse } from 'node:http';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { readMarks } from '../../core/conversations/conversation-marks.js';
import { Signals } from '../../core/signals.js';
import { Database } from '../../database/database.js';
import { TooManyStreams } from '../errors.js';

/** What other replicas do is found by looking, wherever a pooler stands; only while somebody watches. */
const LOOK_MS = 1000;
const HEARTBEAT_MS = 15_000;
const MOST_STREAMS = 200;
/** A client that does not read is let go before it costs more memory than this. */
const MOST_UNREAD = 1024 * 1024;

/** A conversation as it is, and the mark that it had then. */
export interface Snapshot {
  readonly conversation: unknown;
  readonly mark: string | undefined;
}

interface Stream {
  readonly response: ServerResponse;
  readonly snapshot: () => Promise<Snapshot>;
  /** Of what was told last. */
  mark: string | undefined;
  /** Something happened since the snapshot that is being read. */
  isBehind: boolean;
  isReading: boolean;
}

/** Open event streams by conversation. Each event carries the conversation as it then is, so a client that missed one has lost nothing. */
@Injectable()
export class ConversationStreams implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly streams = new Map<string, Set<Stream>>();
  private readonly heartbeat: NodeJS.Timeout;
  private readonly looking: NodeJS.Timeout;
  private isLooking = false;
  private count = 0;

  constructor(
    @Inject(Signals) private readonly signals: Signals,
    @Inject(Database) private readonly database: Database,
  ) {
    signals.on('activity', this.onActivity);
    this.heartbeat = setInterval(() => this.each((stream) => write(stream, ': alive\n\n')), HEARTBEAT_MS).unref();
    this.looking = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  /** Throws when as many as there may be are open. */
  assertRoom(): void {
    if (this.count >= MOST_STREAMS) throw new TooManyStreams(MOST_STREAMS);
  }

  open(conversation: string, response: ServerResponse, snapshot: () => Promise<Snapshot>): void {
    // Of a client that left already, `close` was told before anybody listened.
    if (response.closed || response.destroyed) return;
    const stream: Stream = { response, snapshot, mark: undefined, isBehind: true, isReading: false };
    const open = this.streams.get(conversation) ?? new Set();
    this.streams.set(conversation, open.add(stream));
    this.count += 1;
    response.once('close', () => {
      open.delete(stream);
      this.count -= 1;
      if (open.size === 0 && this.streams.get(conversation) === open) this.streams.delete(conversation);
    });
    void tell(stream);
  }

  beforeApplicationShutdown(): void {
    this.end();
  }

  onModuleDestroy(): void {
    this.end();
  }

  private end(): void {
    clearInterval(this.heartbeat);
    clearInterval(this.looking);
    this.signals.off('activity', this.onActivity);
    this.each(({ response }) => response.end());
  }

  private async look(): Promise<void> {
    if (this.isLooking || this.streams.size === 0) return;
    this.isLooking = true;
    try {
      const marks = await this.database.transaction((tx) => readMarks(tx, [...this.streams.keys()]));
      for (const [conversation, mark] of marks) this.tellOf(conversation, (stream) => stream.mark !== mark);
    } catch {
      // A store that cannot be reached is told of elsewhere; the next look finds what this one did not.
    } finally {
      this.isLooking = false;
    }
  }

  private readonly onActivity = (conversation: string): void => {
    this.tellOf(conversation, () => true);
  };

  private tellOf(conversation: string, isBehind: (stream: Stream) => boolean): void {
    for (const stream of this.streams.get(conversation) ?? []) {
      if (!isBehind(stream)) continue;
      stream.isBehind = true;
      void tell(stream);
    }
  }

  private each(act: (stream: Stream) => void): void {
    for (const open of this.streams.values()) for (const stream of open) act(stream);
  }
}

/** Many things at once make one event: what counts is how the conversation is after the last of them. */
async function tell(stream: Stream): Promise<void> {
  if (stream.isReading) return;
  stream.isReading = true;
  try {
    while (stream.isBehind) {
      stream.isBehind = false;
      const { conversation, mark } = await stream.snapshot();
      stream.mark = mark;
      write(stream, `event: activity\ndata: ${JSON.stringify(conversation)}\n\n`);
    }
  } catch {
    // The client comes again and is told then why the conversation cannot be read.
    stream.response.end();
  } finally {
    stream.isReading = false;
  }
}

function write({ response }: Stream, text: string): void {
  if (response.writableEnded || response.destroyed) return;
  if (response.writableLength > MOST_UNREAD) response.destroy();
  else response.write(text);
}
