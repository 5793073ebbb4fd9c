/** What a tarball may be. */
export interface TarballLimits {
  /** As it comes, packed. */
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  readonly entries: number;
}

export const TARBALL_LIMITS: TarballLimits = { packedBytes: 100 * 1024 ** 2, unpackedBytes: 100 * 1024 ** 2, entries: 10_000 };

/** What an entry says of itself; nothing of it is believed. */
export interface TarballEntry {
  readonly path: string;
  readonly type: string;
}

const FILES = ['File', 'OldFile', 'ContiguousFile'];
const LONGEST_PATH = 1_024;
const SHOWN = 120;
const CONTROL = /\p{Cc}/u;

const REFUSED: Readonly<Record<string, string>> = {
  Link: 'is a link',
  SymbolicLink: 'is a link',
  CharacterDevice: 'is a device',
  BlockDevice: 'is a device',
  FIFO: 'is a pipe',
};

/** Why an entry of a tarball is not unpacked, naming it; null: it may be. */
export function entryFault({ path, type }: TarballEntry): string | null {
  const why = faultOfType(type) ?? faultOfPath(path);
  return why === null ? null : `the entry ${shown(path)} ${why}`;
}

/** What two entries may not have in common: on some disks a name is the same in capitals, or composed otherwise. */
export function entryName(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.join('/').normalize('NFC').toLowerCase();
}

export function isFile({ type }: TarballEntry): boolean {
  return FILES.includes(type);
}

function faultOfType(type: string): string | null {
  if (type === 'Directory' || FILES.includes(type)) return null;
  return `${REFUSED[type] ?? `is a ${type}`}; a tarball may hold files and folders only`;
}

function faultOfPath(path: string): string | null {
  if (path.length > LONGEST_PATH) return `has a path of more than ${LONGEST_PATH} characters`;
  if (CONTROL.test(path)) return 'has a control character in its path';
  if (path.includes('\\')) return 'has a backslash in its path';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'has an absolute path';
  return path.split('/').includes('..') ? 'leads out of its folder: it has `..`' : null;
}

function shown(path: string): string {
  const text = path.length > SHOWN ? `${path.slice(0, SHOWN)}…` : path;
  return JSON.stringify(text.toWellFormed());
}
