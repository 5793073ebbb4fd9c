import type {
  Connection,
  Page,
  PollTransport,
  ProviderEvent,
  StreamSink,
  StreamTransport,
  SubjectParser,
} from '../../../src/plugin/index.js';
import { prompt } from '../../core/builders.js';

export const chat: Connection = { name: 'tracker', org: 'default', source: 'private', secrets: [], options: {} };

/** The payload is the text of a message about a subject. */
export const parser: SubjectParser = {
  parse: ({ payload }) => {
    const { key, text } = payload as { key: string; text: string };
    return prompt(key, text);
  },
};

export function message(number: number, key = 'T-1'): ProviderEvent {
  return { deliveryId: `m-${number}`, eventKey: 'message.created', payload: { key, text: `message ${number}` } };
}

/** A queue of what a test waits for, one after the other. */
export class Arrivals<Item> {
  readonly all: Item[] = [];
  private readonly unseen: Item[] = [];
  private wake = () => {};

  push(item: Item): void {
    this.all.push(item);
    this.unseen.push(item);
    this.wake();
  }

  async next(): Promise<Item> {
    for (;;) {
      const item = this.unseen.shift();
      if (item !== undefined) return item;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}

/** One connection of a stream, which the test drives as its provider would. */
export class Socket {
  readonly ended: Promise<void>;
  end: () => void = () => {};
  fail: (error: Error) => void = () => {};
  isClosed = false;

  constructor(
    readonly sink: StreamSink,
    signal: AbortSignal,
  ) {
    this.ended = new Promise<void>((resolve, reject) => {
      this.end = resolve;
      this.fail = reject;
      const close = () => {
        this.isClosed = true;
        resolve();
      };
      if (signal.aborted) close();
      signal.addEventListener('abort', close, { once: true });
    });
  }
}

export class FakeStream implements StreamTransport {
  readonly kind = 'stream';
  readonly sockets = new Arrivals<Socket>();

  readonly silenceMs: number;
  readonly several: boolean;

  constructor({ silenceMs = 60_000, several = false } = {}) {
    this.silenceMs = silenceMs;
    this.several = several;
  }

  open(_connection: Connection, sink: StreamSink, signal: AbortSignal): Promise<void> {
    const socket = new Socket(sink, signal);
    this.sockets.push(socket);
    return socket.ended;
  }
}

/** A provider with a list of messages, read page by page; the cursor is how many were read. */
export class FakeHistory implements PollTransport {
  readonly kind = 'poll';
  readonly messages: { readonly at: number; readonly event: ProviderEvent }[] = [];
  readonly asked: (string | null)[] = [];
  failure: Error | null = null;
  notice: string | undefined;

  constructor(private readonly pageSize = 3) {}

  async poll(_connection: Connection, cursor: string | null): Promise<Page> {
    this.asked.push(cursor);
    if (this.failure) throw this.failure;
    const from = Number(cursor ?? 0);
    const events = this.messages.slice(from, from + this.pageSize).map(({ event }) => event);
    return {
      events,
      cursor: String(from + events.length),
      more: from + events.length < this.messages.length,
      ...(this.notice && { notice: this.notice }),
    };
  }
}
