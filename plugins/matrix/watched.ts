import { ConfigFault, word } from 'throughline/plugin';
import type { Progress, RoomProgress } from './cursor.js';
import type { Ask } from './matrix.api.js';
import type { MatrixConnection } from './matrix.options.js';
import { Members } from './members.js';

export type RoomsOfConnection = ReadonlyMap<string, RoomProgress>;

/** The room that is read: the configured one, or the one that it was upgraded to. */
export function presentId({ id, successor }: RoomProgress): string {
  return successor ?? id;
}

/** What this process knows of a connection, and learns anew after a start. */
export class Watched {
  readonly members = new Members();
  /** Names and ids of the rooms that were found as they have to be. */
  readonly checked = new Set<string>();
  private owner: string | undefined;
  private readonly told = new Map<string, string>();

  /** Throws `ConfigFault` when the token is of another account. */
  async checkOwner(ask: Ask, { user }: MatrixConnection, signal: AbortSignal): Promise<void> {
    this.owner ??= word((await ask({ method: 'GET', path: '/account/whoami', signal })).user_id);
    const { owner } = this;
    if (owner === user) return;
    this.owner = undefined;
    throw new ConfigFault(`the token is of ${owner ?? 'nobody'}, and \`user\` says ${user}; correct one of them`);
  }

  /** A line for each room that waits for something since the last call, and for each that goes on. */
  news(rooms: Progress['rooms']): string[] {
    return Object.entries(rooms).flatMap(([name, progress]) => {
      const line = waitingFor(name, progress);
      const before = this.told.get(name) ?? '';
      this.told.set(name, line);
      if (line === before) return [];
      return [line === '' ? `the room ${name} goes on` : line];
    });
  }
}

/** A line for each room that waits. */
export function waiting(rooms: Progress['rooms']): string[] {
  return Object.entries(rooms)
    .map(([name, progress]) => waitingFor(name, progress))
    .filter((line) => line !== '');
}

function waitingFor(name: string, { behind }: RoomProgress): string {
  return behind === undefined || behind.why === 'gap' ? '' : `the room ${name} waits: ${behind.detail}`;
}
