import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Finding, fault, ok, warning } from './finding.js';

const MEGABYTE = 1024 ** 2;
const GIGABYTE = 1024 ** 3;
const TOO_LITTLE = 100 * MEGABYTE;
const LITTLE = GIGABYTE;

/** A folder that the server writes to, and makes when it is missing. */
export async function checkFolder(name: string, folder: string): Promise<Finding> {
  const existing = await nearestExisting(folder);
  const found = await stat(existing);
  if (!found.isDirectory()) return fault(name, `${existing} is a file`, 'Name another folder, or move the file away.');
  if (!(await isWritable(existing))) {
    return fault(
      name,
      `${existing} cannot be written to by this user`,
      'Give the folder to the user that runs the server, or name another one.',
    );
  }
  return ok(name, existing === folder ? folder : `${folder}, made when it is needed`);
}

/** How much the disk under a folder still takes. */
export async function checkFreeSpace(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(await nearestExisting(folder));
  const free = bavail * bsize;
  const message = `${sizeText(free)} free for ${folder}`;
  if (free < TOO_LITTLE) return fault('Disk', message, 'Make room: events are refused while the disk is full.');
  return free < LITTLE ? warning('Disk', message, 'Make room soon: events are refused while the disk is full.') : ok('Disk', message);
}

export async function isWritable(path: string): Promise<boolean> {
  return access(path, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
}

async function nearestExisting(path: string): Promise<string> {
  const exists = await stat(path).catch(() => null);
  return exists === null && path !== dirname(path) ? nearestExisting(dirname(path)) : path;
}

function sizeText(bytes: number): string {
  return bytes >= GIGABYTE ? `${(bytes / GIGABYTE).toFixed(1)} GB` : `${Math.floor(bytes / MEGABYTE)} MB`;
}
