import { type Connection, type Fields, word } from 'throughline/plugin';
import type { Cipher, Ciphers } from './cipher.js';
import type { Clients } from './clients.js';
import { isRefusal, MatrixFailure } from './failure.js';
import { type Ask, pathOf } from './matrix.api.js';
import type { MatrixConnection } from './matrix.options.js';

/** What writing needs of a connection. */
export interface Desk {
  readonly ask: Ask;
  readonly cipher: Cipher | null;
}

export async function deskOf(
  clients: Clients,
  ciphers: Ciphers,
  connection: Connection<MatrixConnection>,
  signal: AbortSignal,
): Promise<Desk> {
  const { ask } = await clients.of(connection);
  return { ask, cipher: await ciphers.of(connection, ask, signal) };
}

/** Writes a message once, however often it is tried under the same transaction. Resolves to the event's id. */
export async function postMessage(
  { ask, cipher }: Desk,
  room: string,
  content: Fields,
  transaction: string,
  signal: AbortSignal,
): Promise<string> {
  const isEncrypted = await isRoomEncrypted(ask, room, signal);
  if (isEncrypted && cipher === null)
    throw new MatrixFailure('refused', `the room ${room} is encrypted: set \`encryption\` and \`store\`, so that it can be written to`);
  const type = isEncrypted ? 'm.room.encrypted' : 'm.room.message';
  const body = isEncrypted && cipher ? await cipher.encrypt(ask, room, 'm.room.message', content, signal) : content;
  const answer = await ask({ method: 'PUT', path: pathOf('rooms', room, 'send', type, transaction), body, signal });
  const id = word(answer.event_id);
  if (id === undefined) throw new MatrixFailure('unknown', 'the homeserver answered a message without an event id');
  return id;
}

async function isRoomEncrypted(ask: Ask, room: string, signal: AbortSignal): Promise<boolean> {
  try {
    await ask({ method: 'GET', path: pathOf('rooms', room, 'state', 'm.room.encryption', ''), signal });
    return true;
  } catch (error) {
    if (isRefusal(error, 'M_NOT_FOUND')) return false;
    // Nothing has been sent, whatever became of the question.
    if (error instanceof MatrixFailure && error.kind === 'unknown') throw new MatrixFailure('unreached', error.message, error.details);
    throw error;
  }
}
