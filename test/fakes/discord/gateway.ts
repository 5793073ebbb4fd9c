import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Json } from './shapes.js';

interface Frame {
  readonly op: number;
  readonly d: Json & { token?: string; intents?: number; session_id?: string; seq?: number };
}

interface Session {
  readonly id: string;
  readonly log: { readonly s: number; readonly t: string; readonly d: Json }[];
  socket: WebSocket | null;
}

const MESSAGE_CONTENT = 1 << 15;

/** The gateway: sessions that outlive their sockets, for as long as nobody ends them. */
export class Gateway {
  readonly identified: number[] = [];
  readonly resumed: number[] = [];
  /** Codes with which the other side closed its sockets. */
  readonly closes: number[] = [];
  heartbeatMs = 41_250;
  beats = 0;
  mayReadContent = true;
  /** True: beats are not answered. */
  isDeaf = false;
  private readonly sessions = new Map<string, Session>();
  private readonly sockets = new WebSocketServer({ noServer: true });

  constructor(
    server: Server,
    private readonly token: string,
    private readonly ready: Json,
    private readonly url: () => string,
  ) {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.sockets.handleUpgrade(request, socket, head, (connected) => this.greet(connected)),
    );
  }

  get open(): number {
    return this.sockets.clients.size;
  }

  /** Sessions that are told what happens at once. */
  get standing(): number {
    return [...this.sessions.values()].filter(({ socket }) => socket?.readyState === 1).length;
  }

  /** Also for sessions whose socket is away: they are told when they resume. */
  dispatch(t: string, d: Json): void {
    for (const session of this.sessions.values()) {
      const entry = { s: session.log.length + 1, t, d };
      session.log.push(entry);
      send(session.socket, { op: 0, ...entry });
    }
  }

  /** Ends sockets from this side. A normal end ends the session as well. */
  hangUp(code: number): void {
    if (code === 1000) this.forget();
    for (const socket of this.sockets.clients) socket.close(code);
  }

  askToReconnect(): void {
    for (const socket of this.sockets.clients) send(socket, { op: 7, d: null });
  }

  /** Sessions are lost: whoever resumes is told so. */
  forget(): void {
    this.sessions.clear();
  }

  /** The line is dead, and nobody says so. */
  freeze(): void {
    for (const socket of this.sockets.clients) socket.pause();
    this.isDeaf = true;
  }

  close(): void {
    for (const socket of this.sockets.clients) socket.terminate();
    this.sockets.close();
  }

  private greet(socket: WebSocket): void {
    send(socket, { op: 10, d: { heartbeat_interval: this.heartbeatMs } });
    socket.on('message', (data) => this.hear(socket, JSON.parse(String(data)) as Frame));
    socket.on('close', (code) => {
      this.closes.push(code);
      const session = [...this.sessions.values()].find((each) => each.socket === socket);
      if (!session) return;
      session.socket = null;
      if (code === 1000 || code === 1001) this.sessions.delete(session.id);
    });
  }

  private hear(socket: WebSocket, { op, d }: Frame): void {
    if (op === 1) this.beat(socket);
    if (op === 2) this.identify(socket, d);
    if (op === 6) this.resume(socket, d);
  }

  private beat(socket: WebSocket): void {
    this.beats += 1;
    if (!this.isDeaf) send(socket, { op: 11 });
  }

  private identify(socket: WebSocket, { token, intents = 0 }: Frame['d']): void {
    const mayRead = (intents & MESSAGE_CONTENT) === 0 || this.mayReadContent;
    if (token === this.token && mayRead) this.begin(socket, intents);
    else socket.close(mayRead ? 4004 : 4014);
  }

  private begin(socket: WebSocket, intents: number): void {
    this.identified.push(intents);
    const session: Session = { id: randomUUID(), log: [], socket };
    this.sessions.set(session.id, session);
    const d = { ...this.ready, session_id: session.id, resume_gateway_url: this.url() };
    session.log.push({ s: 1, t: 'READY', d });
    send(socket, { op: 0, t: 'READY', s: 1, d });
  }

  private resume(socket: WebSocket, { token, session_id: id = '', seq = 0 }: Frame['d']): void {
    const session = this.sessions.get(id);
    if (token !== this.token) socket.close(4004);
    else if (session) this.tellAgain(session, socket, seq);
    else send(socket, { op: 9, d: false });
  }

  private tellAgain(session: Session, socket: WebSocket, seq: number): void {
    this.resumed.push(seq);
    session.socket = socket;
    for (const entry of session.log.filter(({ s }) => s > seq)) send(socket, { op: 0, ...entry });
    const s = session.log.length + 1;
    session.log.push({ s, t: 'RESUMED', d: {} });
    send(socket, { op: 0, t: 'RESUMED', s, d: {} });
  }
}

function send(socket: WebSocket | null, frame: object): void {
  if (socket?.readyState === 1) socket.send(JSON.stringify(frame));
}
