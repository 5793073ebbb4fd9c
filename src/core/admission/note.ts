import type { Note } from '../conversations/notes.js';
import type { Admission } from './plan-admission.js';
import type { Locked, World } from './world.js';

export function note(world: World, { by }: Admission, { row }: Locked, receipt: number, kind: Note['kind'], reason: string | null): void {
  world.notes.push({ conversation: row.id, at: world.now, by, kind, receipt, sequence: null, reason });
}
