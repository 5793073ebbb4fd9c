import type { Fields } from 'throughline/plugin';

/** One request to the homeserver's client API. `path` is without prefix: `/joined_rooms`; its parts are encoded already. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: `/${string}`;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Fields;
  readonly signal: AbortSignal;
  /** How long to wait for the answer beyond what is usual, in milliseconds. */
  readonly patienceMs?: number;
}

/** Asks, and throws `MatrixFailure` for whatever is no success. An answer that is a list is given as `{ chunk }`, as most others are. */
export type Ask = (call: Call) => Promise<Fields>;

/** An account at its homeserver. */
export interface MatrixClient {
  readonly ask: Ask;
}

/** A path whose parts are encoded: ids hold `!`, `:`, `$` and `/`. */
export function pathOf(...parts: readonly string[]): `/${string}` {
  return `/${parts.map(encodeURIComponent).join('/')}`;
}
