import { type Fields, fields, list, word } from 'throughline/plugin';
import { MatrixFailure } from './failure.js';
import { type Ask, pathOf } from './matrix.api.js';
import type { MatrixBridge, MatrixRoom } from './matrix.options.js';

const BRIDGES: ReadonlySet<unknown> = new Set(['m.bridge', 'uk.half-shot.bridge']);
const STATES: ReadonlySet<unknown> = new Set([...BRIDGES, 'm.room.power_levels']);

/** The room is not as the configuration says that it has to be, so that nothing of it is read and nothing written to it. */
export class RoomRefused extends Error {
  override readonly name = 'RoomRefused';
}

/** True: after this event the room has to be looked at again before anything else of it is believed. */
export function changesRoom({ type, state_key: key }: Fields, user: string): boolean {
  return STATES.has(type) || (type === 'm.room.member' && key === user);
}

/** What is of interest of the state of a room that is as it has to be. */
export interface RoomState {
  /** Null: it was not replaced. */
  readonly tombstone: Fields | null;
  readonly isEncrypted: boolean;
}

/** Whether the room is joined and, where that is asked for, a portal of the bridge. Throws `RoomRefused` with what to do. */
export async function checkRoom(ask: Ask, id: string, user: string, room: MatrixRoom, signal: AbortSignal): Promise<RoomState> {
  const state = await stateOf(ask, id, signal);
  const own = state.find(({ type, state_key: key }) => type === 'm.room.member' && key === user);
  if (fields(own?.content)?.membership !== 'join') throw new RoomRefused(`${user} is not in the room ${id}: let it join`);
  if (room.bridge !== undefined) checkBridge(state, id, room.bridge, room.activePortal);
  else if (room.activePortal && !state.some(isActive))
    throw new RoomRefused(`the room ${id} is no active portal: no bridge says that it is connected`);
  const found = (name: string) => state.find(({ type, state_key: key }) => type === name && key === '') ?? null;
  return { tombstone: found('m.room.tombstone'), isEncrypted: found('m.room.encryption') !== null };
}

async function stateOf(ask: Ask, id: string, signal: AbortSignal): Promise<Fields[]> {
  try {
    return list((await ask({ method: 'GET', path: pathOf('rooms', id, 'state'), signal })).chunk);
  } catch (error) {
    if (error instanceof MatrixFailure && error.kind === 'refused')
      throw new RoomRefused(`the room ${id} cannot be seen (${error.details.code ?? error.details.status}): let the account join it`);
    throw error;
  }
}

/** Anybody with enough power can put up a bridge's state: only what the expected bot wrote counts, and only while it may. */
function checkBridge(state: readonly Fields[], id: string, { bot, protocol }: MatrixBridge, mustBeActive: boolean): void {
  const own = state.filter(({ type, sender }) => BRIDGES.has(type) && sender === bot);
  if (own.length === 0) throw new RoomRefused(`the room ${id} is no portal of the bridge ${bot}: it has put up no bridge state there`);
  if (own.every((event) => !mayWrite(state, bot, String(event.type))))
    throw new RoomRefused(`the bridge ${bot} has lost the power to say how the room ${id} is bridged`);
  const active = own.filter(isActive);
  if (active.length === 0) {
    if (mustBeActive || protocol !== undefined) throw new RoomRefused(`the bridge ${bot} says that the room ${id} is connected no more`);
    return;
  }
  if (protocol !== undefined && !active.some((event) => namesOf(event).includes(protocol.toLowerCase())))
    throw new RoomRefused(`the room ${id} is bridged to ${[...new Set(active.flatMap(namesOf))].join(', ')}, not to ${protocol}`);
}

function isActive({ type, content }: Fields): boolean {
  return BRIDGES.has(type) && Object.keys(fields(content) ?? {}).length > 0;
}

function namesOf({ content }: Fields): string[] {
  const { id, displayname } = fields(fields(content)?.protocol) ?? {};
  return [word(id), word(displayname)].filter((name) => name !== undefined).map((name) => name.toLowerCase());
}

/** https://spec.matrix.org/v1.18/client-server-api/#mroompower_levels: without that event the creator alone has power. */
function mayWrite(state: readonly Fields[], user: string, type: string): boolean {
  const levels = fields(state.find((event) => event.type === 'm.room.power_levels')?.content);
  const created = state.find((event) => event.type === 'm.room.create');
  if (levels === undefined) return created === undefined || created.sender === user;
  const own = fields(levels.users)?.[user] ?? levels.users_default ?? 0;
  const needed = fields(levels.events)?.[type] ?? levels.state_default ?? 50;
  // Since version 12 of rooms whoever made one has more power than any number.
  const isMaker = created?.sender === user && Number(fields(created.content)?.room_version) >= 12;
  return isMaker || Number(own) >= Number(needed);
}
