import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { fullState } from './conversation-view.js';
import type { Conversations } from './conversations.js';
import type { HostedConversation } from './hosted-conversation.js';
import type { Keys } from './keys.js';
import { readMessage } from './requests.js';

const PATH = /^\/sockets\/events\/([0-9a-f-]{36})$/i;
const AUTH_MS = 10_000;
const MOST_BYTES = 1024 * 1024;
/** Whoever reads so slowly is let go, and asks again from where it was. */
const MOST_WAITING = 16 * 1024 * 1024;
const CLOSES = { unauthorized: 4001, unknown: 4004, tooSlow: 1013 } as const;

/** The events of conversations, as they come: `/sockets/events/{id}`. */
export class Sockets {
  private readonly server = new WebSocketServer({ noServer: true, maxPayload: MOST_BYTES });

  constructor(
    private readonly conversations: Conversations,
    private readonly keys: Keys,
    private readonly isLocal: (request: IncomingMessage) => boolean,
  ) {}

  attach(http: Server): void {
    http.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head));
  }

  close(): void {
    for (const client of this.server.clients) client.close(1001, 'the server stops');
    this.server.close();
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const id = PATH.exec(pathname)?.[1]?.toLowerCase();
    if (id === undefined || !this.isLocal(request)) return void socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
    this.server.handleUpgrade(request, socket, head, (client) => {
      client.on('error', () => client.terminate());
      const given = searchParams.get('session_api_key') ?? request.headers['x-session-api-key'];
      void this.admit(client, given)
        .then((isAllowed) => (isAllowed ? this.serve(client, id, searchParams) : client.close(CLOSES.unauthorized, 'unauthorized')))
        .catch(() => client.close(1011, 'internal error'));
    });
  }

  /** By the query or a header, else by the first frame. */
  private async admit(client: WebSocket, given: unknown): Promise<boolean> {
    if (this.keys.allow(given)) return true;
    const frame = await new Promise<unknown>((resolve) => {
      const limit = setTimeout(() => resolve(null), AUTH_MS);
      client.once('message', (data) => {
        clearTimeout(limit);
        resolve(parsed(String(data)));
      });
      client.once('close', () => resolve(null));
    });
    const { type, session_api_key: key } = (frame ?? {}) as { type?: unknown; session_api_key?: unknown };
    return type === 'auth' && this.keys.allow(key);
  }

  private serve(client: WebSocket, id: string, query: URLSearchParams): Promise<void> {
    return this.conversations.with(id, (conversation) => {
      if (conversation === null) return client.close(CLOSES.unknown, 'Conversation not found');
      this.tell(client, conversation, query);
    });
  }

  private tell(client: WebSocket, conversation: HostedConversation, query: URLSearchParams): void {
    const send = (event: object) => {
      if (client.bufferedAmount > MOST_WAITING) return client.close(CLOSES.tooSlow, 'read faster');
      if (client.readyState === client.OPEN) client.send(JSON.stringify(event));
    };
    for (const event of before(conversation, query)) send(event);
    const leave = conversation.listen(send);
    client.once('close', leave);
    send({ id: randomUUID(), timestamp: new Date().toISOString(), ...fullState(conversation) });
    client.on('message', (data) => void take(conversation, parsed(String(data))).catch((error: Error) => send(complaint(error))));
  }
}

/** What a client says is a message that begins the work; a second word of who it is, is left alone. */
async function take(conversation: HostedConversation, frame: unknown): Promise<void> {
  if ((frame as { type?: unknown } | null)?.type === 'auth') return;
  const said = readMessage(frame);
  await conversation.post(said.text, { ...said, run: true });
}

function before({ events }: HostedConversation, query: URLSearchParams): HostedConversation['events'] {
  const after = query.get('after_timestamp');
  switch (query.get('resend_mode') ?? (query.get('resend_all') === 'true' ? 'all' : null)) {
    case 'all':
      return events;
    case 'since':
      return after === null ? [] : events.filter(({ timestamp }) => timestamp >= after);
    default:
      return [];
  }
}

function complaint({ name, message }: Error): object {
  return {
    id: randomUUID(),
    kind: 'ServerErrorEvent',
    source: 'environment',
    timestamp: new Date().toISOString(),
    code: name,
    detail: message,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
