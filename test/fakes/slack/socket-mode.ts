import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';

type Json = Readonly<Record<string, unknown>>;

interface Envelope {
  readonly type: string;
  readonly payload: Json;
  readonly accepts_response_payload: boolean;
  attempts: number;
  socket: WebSocket;
}

/** Socket Mode: each envelope goes to one of the sockets, and again to another one when that ended without an acknowledgement. */
export class SocketMode {
  /** What was acknowledged, in order: the answers that people were given, most of them empty. */
  readonly answers: unknown[] = [];
  /** How many sockets stood so far, and codes with which the other side closed them. */
  greeted = 0;
  readonly closes: number[] = [];
  /** How many envelopes were told, again ones included. */
  told = 0;
  most = 10;
  isEnabled = true;
  /** True: acknowledgements get lost on their way. */
  isDeaf = false;
  /** True: a socket is taken, and nothing is said. */
  isMute = false;
  readonly app = 'A0001';
  private readonly tickets = new Set<string>();
  private readonly waiting = new Map<string, Envelope>();
  private readonly sockets = new WebSocketServer({ noServer: true });

  constructor(server: Server) {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const ticket = new URL(request.url ?? '', 'ws://slack.invalid').searchParams.get('ticket') ?? '';
      if (!this.tickets.delete(ticket)) return void socket.destroy();
      this.sockets.handleUpgrade(request, socket, head, (connected) => this.greet(connected));
    });
  }

  /** Of a socket, to be used once. */
  address(server: string): string {
    const ticket = randomUUID();
    this.tickets.add(ticket);
    return `${server.replace('http', 'ws')}/link/?ticket=${ticket}&app_id=${this.app}`;
  }

  get open(): number {
    return this.live().length;
  }

  /** Envelopes that nobody has acknowledged. */
  get unheard(): number {
    return this.waiting.size;
  }

  /** An Events API body. Nobody is told of what happens while there is no socket. */
  event(payload: Json): void {
    this.tell({ type: 'events_api', payload, accepts_response_payload: false, attempts: 0 });
  }

  interaction(payload: Json): void {
    this.tell({ type: 'interactive', payload, accepts_response_payload: true, attempts: 0 });
  }

  command(payload: Json): void {
    this.tell({ type: 'slash_commands', payload, accepts_response_payload: true, attempts: 0 });
  }

  /** Says to every socket that stands now that it is about to end. */
  warn(reason = 'warning'): void {
    for (const socket of this.live()) send(socket, { type: 'disconnect', reason, debug_info: { host: 'applink-1' } });
  }

  /** A frame as it is, to the newest socket. */
  say(text: string): void {
    this.live().at(-1)?.send(text);
  }

  /** Ends the sockets from this side, without a word. */
  hangUp(): void {
    for (const socket of this.sockets.clients) socket.terminate();
  }

  /** The lines are dead, and nobody says so. */
  freeze(): void {
    for (const socket of this.sockets.clients) socket.pause();
  }

  close(): void {
    this.hangUp();
    this.sockets.close();
  }

  private live(): WebSocket[] {
    return [...this.sockets.clients].filter(isUsable);
  }

  private greet(socket: WebSocket): void {
    socket.on('close', (code) => {
      this.closes.push(code);
      this.tellAgain();
    });
    if (this.isMute) return;
    const refusal = this.isEnabled ? (this.open > this.most ? 'too_many_websockets' : null) : 'link_disabled';
    if (refusal !== null) return void send(socket, { type: 'disconnect', reason: refusal });
    this.greeted += 1;
    socket.on('message', (data) => this.hear(JSON.parse(String(data)) as { envelope_id: string; payload?: unknown }));
    send(socket, { type: 'hello', num_connections: this.open, connection_info: { app_id: this.app }, debug_info: {} });
    this.tellAgain();
  }

  private tellAgain(): void {
    if (this.open === 0) return;
    for (const [id, envelope] of [...this.waiting]) {
      if (isUsable(envelope.socket)) continue;
      this.waiting.delete(id);
      this.tell({ ...envelope, attempts: envelope.attempts + 1 });
    }
  }

  private tell({ type, payload, accepts_response_payload, attempts }: Omit<Envelope, 'socket'>): void {
    const socket = this.live().at(-1);
    if (socket === undefined) return;
    const [id, said] = [randomUUID(), { type, payload, accepts_response_payload }];
    this.waiting.set(id, { ...said, attempts, socket });
    this.told += 1;
    send(socket, { envelope_id: id, ...said, retry_attempt: attempts, retry_reason: attempts > 0 ? 'timeout' : '' });
  }

  private hear({ envelope_id: id, payload }: { readonly envelope_id: string; readonly payload?: unknown }): void {
    if (this.isDeaf || !this.waiting.delete(id)) return;
    this.answers.push(payload);
  }
}

function isUsable(socket: WebSocket): boolean {
  return socket.readyState === WebSocket.OPEN && !socket.isPaused;
}

function send(socket: WebSocket, frame: Json): void {
  socket.send(JSON.stringify(frame));
}
