import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { TurnConversation } from '../core/conversations/conversations.js';
import type { Workspace } from './work-table.js';

const MOST_KNOWN = 100_000;

/** Working trees of repositories. */
export interface Worktrees {
  /** Makes it, where it is not there. Throws `TurnFailed` when it cannot be made. */
  make(repository: string, folder: string, branch: string): Promise<void>;
  /** Resolves to what became of it, in a word or a sentence; null: it is none of this repository. */
  remove(repository: string, folder: string): Promise<string | null>;
  /** Takes it away whatever it holds, and its branch; a branch that somebody else has checked out stays. */
  purge(repository: string, folder: string, branch: string): Promise<void>;
}

type Place = Pick<Workspace, 'directory' | 'isolate'>;

/** The folder in which each conversation of a workspace has one of its own; null: they share the workspace's. */
export function folderOfFolders({ directory, isolate }: Place, workspacesFolder: string): string | null {
  return directory === null ? workspacesFolder : isolate ? directory : null;
}

/** Where the turns of a conversation work. */
export function turnFolder(place: Place, { folder }: { readonly folder: string }, workspacesFolder: string): string {
  const within = folderOfFolders(place, workspacesFolder);
  return within === null ? (place.directory ?? workspacesFolder) : path.join(within, folder);
}

/**
 * Makes the folder that a turn works in, once. Only an end takes a folder away, and never while its conversation is open again with as
 * many ends; if somebody else did, the turn that fails for it costs an attempt.
 */
export class WorkspaceFolders {
  /** With the number of ends that the conversation had when it was made. */
  private readonly made = new Map<string, number>();

  constructor(private readonly worktrees: Worktrees) {}

  /** `repository`: what it is a working tree of; null: it is a folder. */
  async make(
    folder: string,
    conversation: Pick<TurnConversation, 'state' | 'ending' | 'folder'>,
    repository: string | null,
  ): Promise<void> {
    const { state, ending } = conversation;
    if (this.made.get(folder) === ending && state === 'open') return;
    if (repository === null) await mkdir(folder, { recursive: true });
    else await this.worktrees.make(repository, folder, branchOf(conversation.folder));
    if (this.made.size >= MOST_KNOWN) this.made.clear();
    if (state === 'open') this.made.set(folder, ending);
  }

  /** Something went wrong there: it is looked at anew. */
  forget(folder: string): void {
    this.made.delete(folder);
  }

  /** Takes the working tree of an ended conversation away, see `Worktrees`. */
  removeTree(repository: string, folder: string): Promise<string | null> {
    return this.worktrees.remove(repository, folder);
  }

  /** Takes the working tree of a conversation away for good, and its branch. `name`: that of its folder. */
  purgeTree(repository: string, folder: string, name: string): Promise<void> {
    this.forget(folder);
    return this.worktrees.purge(repository, folder, branchOf(name));
  }
}

function branchOf(folder: string): string {
  return `throughline/${folder}`;
}
