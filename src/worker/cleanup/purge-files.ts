import { rm } from 'node:fs/promises';
import path from 'node:path';
import { removeAttachments } from '../attachments/attachment-folder.js';
import type { WorkTable } from '../work-table.js';
import { folderOfFolders, turnFolder, type WorkspaceFolders } from '../workspace-folders.js';

/** A conversation whose words are to go, with the workspace that it is in and the folder that it had. */
export interface PurgedConversation {
  readonly conversation: string;
  readonly org: string;
  readonly workspace: string;
  readonly folder: string;
}

export interface PurgeContext {
  readonly table: WorkTable;
  readonly folders: WorkspaceFolders;
  /** Folder in which conversations without a directory have one each. */
  readonly workspacesFolder: string;
}

/**
 * Takes for good what a conversation has on this machine: its own folder wherever its workspace has it, its working tree with its branch,
 * and what came with its messages into a folder that it shares. May be repeated.
 */
export async function purgeFiles(
  { conversation, org, workspace: name, folder }: PurgedConversation,
  { table, folders, workspacesFolder }: PurgeContext,
): Promise<void> {
  const workspace = table.workspace(org, name);
  if (workspace) await removeAttachments(turnFolder(workspace, { folder }, workspacesFolder), conversation);
  // A workspace that was changed meanwhile had it in the folder of all.
  const places = new Set([workspacesFolder, (workspace && folderOfFolders(workspace, workspacesFolder)) ?? workspacesFolder]);
  for (const within of places) await rm(folderIn(within, folder), { recursive: true, force: true });
  if (workspace?.repository) await folders.purgeTree(workspace.repository, folderIn(workspacesFolder, folder), folder);
}

/** The name comes out of a row. */
function folderIn(within: string, folder: string): string {
  const target = path.resolve(within, folder);
  if (path.dirname(target) !== path.resolve(within)) throw new Error(`the folder ${folder} is not one of a conversation`);
  return target;
}
