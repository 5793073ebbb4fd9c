import { lstat, mkdir, open, readdir, readFile, realpath, rm, rmdir, stat, unlink } from 'node:fs/promises';
import path from 'node:path';

const HOME = '.throughline';
const KIND = 'attachments';
/** Git then takes no notice of the folder: it is neither committed nor a change that keeps a working tree from being removed. */
const IGNORE = '.gitignore';
const IGNORED = '# Made by Throughline: files that came with messages.\n*\n';

/** Whoever may write to the workspace has put something else where the files are to go. */
export class UnsafeFolder extends Error {
  override readonly name = 'UnsafeFolder';
}

/**
 * An empty folder for the files of one delivery, in the workspace of its conversation; what an earlier try had there is gone, and so is what
 * came with messages of the conversation so long ago: one that never ends would fill the disk.
 */
export async function makeAttachmentFolder(workspace: string, delivery: string, keptForMs: number): Promise<string> {
  const kind = await ownFolder(workspace);
  const folder = path.join(kind, delivery);
  if (path.dirname(folder) !== kind) throw new UnsafeFolder(`${delivery} is not the name of a folder`);
  await rm(folder, { recursive: true, force: true });
  await removeOld(kind, delivery.slice(0, delivery.lastIndexOf('.') + 1), Date.now() - keptForMs);
  await mkdir(folder);
  return folder;
}

/** Messages are worked on in their order, so that nothing of an older one is still to be read. */
async function removeOld(kind: string, prefix: string, before: number): Promise<void> {
  for (const name of (await readdir(kind)).filter((each) => each.startsWith(prefix))) {
    const found = await stat(path.join(kind, name)).catch(() => null);
    if (found !== null && found.mtimeMs < before) await rm(path.join(kind, name), { recursive: true, force: true });
  }
}

/** Takes away what came with the messages of a conversation, and the folder for it where nothing else is left in that. */
export async function removeAttachments(workspace: string, conversation: string): Promise<void> {
  const home = path.join(workspace, HOME);
  const kind = path.join(home, KIND);
  if (!(await isFolder(home)) || !(await isFolder(kind))) return;
  const own = (await readdir(kind)).filter((name) => name.startsWith(`${conversation}.`));
  for (const name of own) await rm(path.join(kind, name), { recursive: true, force: true });
  await leave(home, kind);
}

async function leave(home: string, kind: string): Promise<void> {
  if (!(await removeEmpty(kind))) return;
  const ignore = path.join(home, IGNORE);
  const rest = await readdir(home);
  const isOurs = rest.length === 1 && rest[0] === IGNORE && (await isFile(ignore)) && (await readFile(ignore, 'utf8')) === IGNORED;
  if (isOurs) await unlink(ignore);
  await removeEmpty(home);
}

async function ownFolder(workspace: string): Promise<string> {
  const home = await folderIn(workspace, HOME);
  const kind = await folderIn(home, KIND);
  const [real, base] = await Promise.all([realpath(kind), realpath(workspace)]);
  if (real !== path.join(base, HOME, KIND)) throw new UnsafeFolder(`${HOME} in the workspace leads out of it`);
  const ignore = await open(path.join(home, IGNORE), 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return null;
    throw error;
  });
  if (ignore === null) return kind;
  await ignore.writeFile(IGNORED).finally(() => ignore.close());
  return kind;
}

/** Never by a link: it would lead to where its maker wants. */
async function folderIn(parent: string, name: string): Promise<string> {
  const folder = path.join(parent, name);
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  if (!(await isFolder(folder))) throw new UnsafeFolder(`${name} in the workspace is no folder`);
  return folder;
}

async function isFolder(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => null);
  return found?.isDirectory() === true;
}

async function isFile(file: string): Promise<boolean> {
  const found = await lstat(file).catch(() => null);
  return found?.isFile() === true;
}

/** False: something is left in it. */
function removeEmpty(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST' || error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
