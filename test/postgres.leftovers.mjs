// What a killed test run leaves behind: a PostgreSQL that nobody will stop, and its folders.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const FOLDER = /^throughline-pg-(?<owner>\d+)-(?:data|bin)-/;

/** For `mkdtemp`. The name itself says which run owns the folder: the folder must be empty for PostgreSQL, and nothing can come between. */
export function folderPrefix(kind) {
  return path.join(os.tmpdir(), `throughline-pg-${process.pid}-${kind}-`);
}

/** Ends the servers and removes the folders of runs that are gone. Runs beside this one keep theirs. */
export async function removeLeftovers() {
  for (const name of readdirSync(os.tmpdir())) {
    const owner = FOLDER.exec(name)?.groups.owner;
    if (owner && !isRunning(Number(owner))) await removeFolder(path.join(os.tmpdir(), name));
  }
}

async function removeFolder(folder) {
  try {
    await endServerOf(folder);
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (error.code !== 'EPERM' && error.code !== 'EACCES') throw error; // another user's: theirs to remove
  }
}

async function endServerOf(folder) {
  const file = path.join(folder, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n', 1)[0]);
  const serves = () => isRunning(pid) && commandOf(pid).includes(folder); // the number may belong to another program by now
  if (serves()) process.kill(pid, 'SIGQUIT'); // PostgreSQL's immediate shutdown
  for (let waited = 0; serves() && waited < 5000; waited += 50) await delay(50);
  if (serves()) process.kill(pid, 'SIGKILL');
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function commandOf(pid) {
  try {
    const listing = `/proc/${pid}/cmdline`;
    return existsSync('/proc/self')
      ? readFileSync(listing, 'utf8')
      : execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return ''; // it ended in between
  }
}
