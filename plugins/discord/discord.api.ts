import type { DiscordFailure } from './failure.js';

/** One request to Discord's REST API. `path` is without version: `/channels/1/messages`. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: `/${string}`;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** False: the path itself holds a token (answers to interactions), and the bot's is not sent. */
  readonly auth?: false;
  readonly signal?: AbortSignal;
}

/** Asks, and throws `DiscordFailure` for whatever is no success. */
export type Ask = (call: Call) => Promise<unknown>;

/** What a session of the gateway is resumed by. `sequence`: the last event that is surely stored. */
export interface GatewaySession {
  readonly id: string;
  readonly resumeUrl: string;
  readonly sequence: number;
}

export interface GatewayListener {
  /** The session to resume; null: a new one is to begin. */
  session(): GatewaySession | null;
  /** Identified: a new session has begun. */
  ready(session: GatewaySession, application: { readonly id: string }): void;
  resumed(): void;
  heard(): void;
  dispatch(name: string, data: unknown, sequence: number): void;
}

/** How a connection to the gateway ended. */
export interface GatewayEnd {
  /** Code of the WebSocket's close; null: it was never made. */
  readonly code: number | null;
  /** True: the session is over, too, and what happens until the next one begins has to be asked for. */
  readonly isLost: boolean;
  readonly failure: DiscordFailure | null;
}

export interface GatewayLink {
  readonly ended: Promise<GatewayEnd>;
  /** Resolves when the socket is closed. `keep`: the session can be resumed afterwards. */
  close(keep: boolean): Promise<void>;
}

/** A bot at Discord: one token, and the limits that all its requests share. */
export interface DiscordClient {
  readonly ask: Ask;
  /** Throws `DiscordFailure` when it cannot be asked where the gateway is, or no session may begin. */
  connect(listener: GatewayListener): Promise<GatewayLink>;
}
