import { plainToInstance } from 'class-transformer';
import { type Connection, type Fields, fields, type Parsed, type ProviderEvent } from 'throughline/plugin';
import type { Cipher, Ciphers } from '../../../plugins/matrix/cipher.js';
import { MatrixConnection } from '../../../plugins/matrix/matrix.options.js';
import { MatrixSubjects } from '../../../plugins/matrix/matrix.subjects.js';
import { ADA } from '../../fakes/matrix/homeserver.js';
import type { Json, RoomEvent, World } from '../../fakes/matrix/world.js';
import { BOB } from '../../fakes/matrix/world.js';

export const SUPPORT = '!support:example.org';
export const SALES = '!sales:example.org';
export const subjects = new MatrixSubjects();

export function options(change: Json = {}): MatrixConnection {
  const rooms = { support: { id: SUPPORT, title: 'Support' }, sales: { id: SALES } };
  return plainToInstance(MatrixConnection, { apiUrl: 'http://127.0.0.1:9', user: ADA, token: 'token', rooms, ...change });
}

export function connection(change: Json = {}): Connection<MatrixConnection> {
  return { name: 'matrix', org: 'default', source: 'private', secrets: [], options: options(change) };
}

export function parse(event: ProviderEvent, change: Json = {}): Parsed {
  return subjects.parse({ ...event, connection: connection(change) });
}

/** Reads what a test has put into a room as encrypted, once it has the key of the session. */
export class FakeCipher implements Cipher, Ciphers {
  readonly keys = new Set<string>();

  async of(): Promise<Cipher> {
    return this;
  }

  async receive(): Promise<boolean> {
    return false;
  }

  async decrypt({ content }: Fields): Promise<Fields | null> {
    const { session_id: session, ciphertext } = fields(content) ?? {};
    return this.keys.has(String(session)) ? (JSON.parse(String(ciphertext)) as Fields) : null;
  }

  async encrypt(): Promise<Fields> {
    throw new Error('nothing is written here');
  }
}

export function sayLocked(world: World, room: string, body: string, session: string, sender = BOB): RoomEvent {
  const clear = { type: 'm.room.message', content: { msgtype: 'm.text', body } };
  const content = { algorithm: 'm.megolm.v1.aes-sha2', session_id: session, ciphertext: JSON.stringify(clear) };
  return world.send(room, 'm.room.encrypted', content, sender);
}
