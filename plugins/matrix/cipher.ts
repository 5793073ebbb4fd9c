import type { Connection, Fields } from 'throughline/plugin';
import type { Ask } from './matrix.api.js';
import type { MatrixConnection } from './matrix.options.js';

/** What encrypts and decrypts for one device. */
export interface Cipher {
  /**
   * Takes what a sync says about keys and devices, and sends what is to be sent on that account. When it resolves all of it is stored for
   * good, so that the homeserver need not tell it again. True: keys may have come.
   */
  receive(ask: Ask, answer: Fields, signal: AbortSignal): Promise<boolean>;
  /** The clear event; null: the key for it is missing. */
  decrypt(event: Fields, room: string): Promise<Fields | null>;
  /** The content of an `m.room.encrypted` event, whose key every device in the room has been sent. */
  encrypt(ask: Ask, room: string, type: string, content: Fields, signal: AbortSignal): Promise<Fields>;
}

/** The ciphers of connections. Null: the connection has no encryption. */
export interface Ciphers {
  of(connection: Connection<MatrixConnection>, ask: Ask, signal: AbortSignal): Promise<Cipher | null>;
}

export const NO_CIPHERS: Ciphers = { of: async () => null };
