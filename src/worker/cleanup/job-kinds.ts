import path from 'node:path';
import type { TurnConversation } from '../../core/conversations/conversations.js';
import { removeAttachments } from '../attachments/attachment-folder.js';
import { type RuntimeRetirement, retireRuntime } from '../retire-runtime.js';
import type { WorkTable } from '../work-table.js';
import { folderOfFolders, turnFolder, type WorkspaceFolders } from '../workspace-folders.js';
import { removeFolder } from './remove-files.js';

/** How one kind of job is done. Idempotent: it may be repeated after it was done. Resolves to what came of it, in a word. */
export type JobWork = (conversation: TurnConversation) => Promise<string>;

/** What a process knows how to do, by kind; whoever brings another kind of job adds it here. */
export type JobKinds = Readonly<Record<string, JobWork>>;

export interface CleanupContext extends RuntimeRetirement {
  /** Folder in which conversations without a directory have one each. */
  readonly workspacesFolder: string;
  readonly folders: WorkspaceFolders;
}

export function cleanupKinds(context: CleanupContext): JobKinds {
  const configured = configuredFolders(context.table);
  return {
    retire_runtime: async (conversation) => {
      await retireRuntime(conversation, context);
      return 'retired';
    },
    remove_files: (conversation) => removeFiles(conversation, configured, context),
  };
}

async function removeFiles(
  { id, folder, org, workspace: name }: TurnConversation,
  configured: readonly string[],
  { table, folders, workspacesFolder }: CleanupContext,
): Promise<string> {
  const workspace = table.workspace(org, name);
  if (workspace) await removeAttachments(turnFolder(workspace, { folder }, workspacesFolder), id);
  const within = path.resolve((workspace && folderOfFolders(workspace, workspacesFolder)) ?? workspacesFolder);
  const tree = workspace?.repository ? await folders.removeTree(workspace.repository, path.join(within, folder)) : null;
  return tree ?? removeFolder(folder, { within, configured: configured.filter((directory) => directory !== within) });
}

function configuredFolders(table: WorkTable): string[] {
  return table.directories().map((directory) => path.resolve(directory));
}
