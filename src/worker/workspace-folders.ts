import { mkdir } from 'node:fs/promises';
import type { TurnConversation } from '../core/conversations/conversations.js';

const MOST_KNOWN = 100_000;

/**
 * Makes the folder that a turn works in, once. Only an end takes a folder away, and never while its conversation is open again with as
 * many ends; if somebody else did, the turn that fails for it costs an attempt.
 */
export class WorkspaceFolders {
  /** With the number of ends that the conversation had when it was made. */
  private readonly made = new Map<string, number>();

  async make(folder: string, { state, ending }: Pick<TurnConversation, 'state' | 'ending'>): Promise<void> {
    if (this.made.get(folder) === ending && state === 'open') return;
    await mkdir(folder, { recursive: true });
    if (this.made.size >= MOST_KNOWN) this.made.clear();
    if (state === 'open') this.made.set(folder, ending);
  }

  /** Something went wrong there: it is looked at anew. */
  forget(folder: string): void {
    this.made.delete(folder);
  }
}
