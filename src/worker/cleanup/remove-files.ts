import { lstat, readdir, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { type FoundFolder, fateOf } from './folder-policy.js';

export type RemovalResult = 'removed' | 'kept' | 'none';

/** Removes the folder of a conversation that ended, if nobody has put anything there. */
export async function removeFolder(
  folder: string,
  { within, configured }: { readonly within: string; readonly configured: readonly string[] },
): Promise<RemovalResult> {
  const whole = path.join(within, folder);
  if (path.dirname(whole) !== path.resolve(within)) throw new Error(`${folder} is not the name of a folder in ${within}`);
  switch (fateOf(whole, await look(whole), configured)) {
    case 'none':
      return 'none';
    case 'keep':
      return 'kept';
    case 'remove':
      return (await removeEmpty(whole)) ? 'removed' : 'kept';
  }
}

async function look(whole: string): Promise<FoundFolder> {
  const found = await lstat(whole).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (found === null) return { kind: 'none', holdsFiles: false };
  return found.isDirectory() ? { kind: 'folder', holdsFiles: await holdsFiles(whole) } : { kind: 'other', holdsFiles: true };
}

async function holdsFiles(folder: string): Promise<boolean> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (!entry.isDirectory() || (await holdsFiles(path.join(folder, entry.name)))) return true;
  return false;
}

/** From the leaves up, each only if it is empty: what came in meanwhile stays. */
async function removeEmpty(folder: string): Promise<boolean> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (!entry.isDirectory() || !(await removeEmpty(path.join(folder, entry.name)))) return false;
  return rmdir(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false;
      if (error.code === 'ENOENT') return true;
      throw error;
    },
  );
}
