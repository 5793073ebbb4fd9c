import type { Note } from '../conversations/notes.js';
import type { Locked } from './locked.js';
import type { World } from './world.js';

/** Who decides. */
interface By {
  readonly by: string;
}

export function note(world: World, { by }: By, { row }: Locked, receipt: number, kind: Note['kind'], reason: string | null): void {
  world.notes.push({ conversation: row.id, at: world.now, by, kind, receipt, sequence: null, reason });
}
