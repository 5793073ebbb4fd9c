import { InvalidInput, type OutboundBinding, ProviderFault, word } from 'throughline/plugin';
import type { Ciphers } from './cipher.js';
import type { Clients } from './clients.js';
import type { Ask } from './matrix.api.js';
import type { MatrixConnection } from './matrix.options.js';
import { roomNameOf } from './place.js';
import { type Desk, deskOf } from './post-room.js';
import { checkRoom, RoomRefused } from './room-check.js';
import { presentRoom } from './upgrade.js';

export type Binding = OutboundBinding<MatrixConnection>;

/** The room that a conversation is about, looked at right now. */
export interface BoundRoom extends Desk {
  readonly room: string;
}

/** Looks anew whose token it is, which room stands for the conversation, and whether that room is as it has to be. */
export async function boundRoom(clients: Clients, ciphers: Ciphers, binding: Binding, signal: AbortSignal): Promise<BoundRoom> {
  const { connection, subject } = binding;
  const { user, rooms } = connection.options;
  const name = roomNameOf(subject, user, connection.name);
  const configured = name === undefined ? undefined : rooms.get(name);
  if (configured === undefined) throw new InvalidInput('this conversation is about no room of this connection');
  const desk = await deskOf(clients, ciphers, connection, signal);
  await checkOwner(desk.ask, user, signal);
  const room = await presentRoom(desk.ask, subject.key, user, signal);
  if (room !== subject.key || room !== configured.id) await checkSame(desk.ask, room, configured.id, user, signal);
  await checkRoom(desk.ask, room, user, configured, signal).catch((error: unknown) => {
    throw error instanceof RoomRefused ? new ProviderFault(error.message, 'permanent', null, { cause: error }) : error;
  });
  return { ...desk, room };
}

async function checkOwner(ask: Ask, user: string, signal: AbortSignal): Promise<void> {
  const owner = word((await ask({ method: 'GET', path: '/account/whoami', signal })).user_id);
  if (owner !== user) throw new ProviderFault(`the token is of ${owner ?? 'nobody'}, not of ${user}`, 'unauthorized');
}

/** The configuration may name another room by now: the conversation is not about that one. */
async function checkSame(ask: Ask, room: string, configured: string, user: string, signal: AbortSignal): Promise<void> {
  if ((await presentRoom(ask, configured, user, signal)) !== room)
    throw new ProviderFault('the configuration names another room by now, which this conversation is not about', 'permanent');
}
