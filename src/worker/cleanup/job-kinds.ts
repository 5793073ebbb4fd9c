import path from 'node:path';
import type { TurnConversation } from '../../core/conversations/conversations.js';
import { type RuntimeRetirement, retireRuntime } from '../retire-runtime.js';
import type { WorkTable } from '../work-table.js';
import { removeFolder } from './remove-files.js';

/** How one kind of job is done. Idempotent: it may be repeated after it was done. Resolves to what came of it, in a word. */
export type JobWork = (conversation: TurnConversation) => Promise<string>;

/** What a process knows how to do, by kind; whoever brings another kind of job adds it here. */
export type JobKinds = Readonly<Record<string, JobWork>>;

export interface CleanupContext extends RuntimeRetirement {
  /** Folder in which conversations without a directory have one each. */
  readonly workspacesFolder: string;
}

export function cleanupKinds(context: CleanupContext): JobKinds {
  const configured = configuredFolders(context.table);
  return {
    retire_runtime: async (conversation) => {
      await retireRuntime(conversation, context);
      return 'retired';
    },
    remove_files: ({ folder }) => removeFolder(folder, { within: path.resolve(context.workspacesFolder), configured }),
  };
}

function configuredFolders(table: WorkTable): string[] {
  return table.directories().map((directory) => path.resolve(directory));
}
