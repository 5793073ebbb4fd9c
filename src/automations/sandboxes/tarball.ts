import { createReadStream } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { PassThrough, Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry, Unpack } from 'tar';
import { InvalidInput } from '../../plugin/index.js';
import { entryFault, entryName, isFile, TARBALL_LIMITS, type TarballLimits } from './tarball-entry.js';

/** A tarball is not what one may be. The message says which entry, and why. */
export class TarballRefused extends InvalidInput {
  override readonly code = 'tarball_refused';
}

export interface CheckedTarball {
  readonly entries: number;
  readonly unpackedBytes: number;
}

const PACKED_MAGICS = [
  Buffer.from([0x1f, 0x8b]),
  Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
  Buffer.from('BZh'),
  Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a]),
];
const GZIP = PACKED_MAGICS[0] as Buffer;
/** Of what entries say before themselves, such as long names. */
const META_BYTES = 64 * 1024;
const LONGEST_MAGIC = 5;

/** Reads all of it and writes nothing. Throws `TarballRefused`. */
export async function checkTarball(file: string, limits: TarballLimits = TARBALL_LIMITS, signal?: AbortSignal): Promise<CheckedTarball> {
  const entries = new Entries(limits);
  const parser = new Parser({ strict: true, maxMetaEntrySize: META_BYTES, onReadEntry: (entry) => entries.take(entry) });
  parser.on('ignoredEntry', (entry: ReadEntry) => entries.isRight(entry));
  const unpackedBytes = await read(file, parser, entries, limits, signal);
  return { entries: entries.count, unpackedBytes };
}

/**
 * Unpacks it into a folder that is made for it. All of it is checked before the first file is written; what is written is owned by this
 * user, and of the modes only whether it can be executed is kept.
 */
export async function unpackTarball(
  file: string,
  folder: string,
  limits: TarballLimits = TARBALL_LIMITS,
  signal?: AbortSignal,
): Promise<CheckedTarball> {
  await checkTarball(file, limits, signal);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const entries = new Entries(limits);
  const unpack = new Unpack({
    ...{ cwd: folder, strict: true, maxMetaEntrySize: META_BYTES, preserveOwner: false, noMtime: true },
    filter: (_path, entry) => {
      // Checked a second time: the file is read a second time.
      if (!('header' in entry) || !entries.isRight(entry)) return false;
      entry.mode = entry.type === 'Directory' || ((entry.mode ?? 0) & 0o100) !== 0 ? 0o755 : 0o644;
      return true;
    },
  });
  const unpackedBytes = await read(file, unpack, entries, limits, signal);
  return { entries: entries.count, unpackedBytes };
}

/** The entries of one reading, held against what they may be. */
class Entries {
  private readonly names = new Map<string, boolean>();
  fault: string | null = null;
  count = 0;

  constructor(private readonly limits: TarballLimits) {}

  take(entry: ReadEntry): void {
    this.isRight(entry);
    entry.resume();
  }

  isRight(entry: ReadEntry): boolean {
    this.count += 1;
    const name = entryName(entry.path);
    this.fault ??= this.faultOf(entry, name);
    this.names.set(name, isFile(entry));
    return this.fault === null;
  }

  private faultOf(entry: ReadEntry, name: string): string | null {
    if (this.count > this.limits.entries) return `it has more than ${this.limits.entries} entries`;
    const fault = entryFault(entry);
    if (fault !== null) return fault;
    const shown = JSON.stringify(entry.path);
    if (isFile(entry) && name === '') return `the entry ${shown} is a file without a name`;
    if (isFile(entry) && this.names.has(name)) return `the entry ${shown} is there twice`;
    return this.isUnderFile(name) ? `the entry ${shown} is in a folder that is a file` : null;
  }

  private isUnderFile(name: string): boolean {
    const parts = name.split('/');
    return parts.some((_, i) => this.names.get(parts.slice(0, i + 1).join('/')) === true);
  }
}

/** Throws as soon as it is too much, or not what it may be. Resolves to how much it is, unpacked. */
async function read(file: string, into: Parser, entries: Entries, limits: TarballLimits, signal: AbortSignal | undefined): Promise<number> {
  const { size } = await stat(file);
  if (size > limits.packedBytes) throw new TarballRefused(`The tarball is larger than ${limits.packedBytes} bytes.`);
  const counted = new Counted(limits.unpackedBytes, entries);
  const unzipped = (await isGzip(file)) ? createGunzip() : new PassThrough();
  try {
    await pipeline(createReadStream(file), unzipped, counted, into as unknown as NodeJS.WritableStream, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    if (entries.fault !== null) throw new TarballRefused(`The tarball is refused: ${entries.fault}.`, [], { cause: error });
    if (error instanceof TarballRefused || isOfDisk(error)) throw error;
    throw new TarballRefused(`The tarball cannot be read: ${(error as Error).message}.`, [], { cause: error });
  }
  if (entries.fault !== null) throw new TarballRefused(`The tarball is refused: ${entries.fault}.`);
  if (entries.count === 0) throw new TarballRefused('The tarball holds no files.');
  return counted.bytes;
}

/** Counts what comes out of the packing, which says nothing true of it beforehand. */
class Counted extends Transform {
  bytes = 0;
  private head = Buffer.alloc(0);

  constructor(
    private readonly limit: number,
    private readonly entries: Entries,
  ) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const fault = this.faultOf(chunk);
    if (fault === null) done(null, chunk);
    else done(new TarballRefused(fault));
  }

  private faultOf(chunk: Buffer): string | null {
    this.bytes += chunk.length;
    if (this.bytes > this.limit) return `The tarball is larger than ${this.limit} bytes once it is unpacked.`;
    if (this.entries.fault !== null) return this.entries.fault;
    if (this.head.length >= LONGEST_MAGIC) return null;
    this.head = Buffer.concat([this.head, chunk.subarray(0, LONGEST_MAGIC)]);
    // The parser would unpack it by itself, uncounted.
    return isPacked(this.head) ? 'The tarball is packed twice, or not with gzip.' : null;
  }
}

function isPacked(head: Buffer): boolean {
  return PACKED_MAGICS.some((magic) => head.subarray(0, magic.length).equals(magic));
}

async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(GZIP.length), 0, GZIP.length, 0);
    return bytesRead === GZIP.length && buffer.equals(GZIP);
  } finally {
    await handle.close();
  }
}

/** Full, or not writable: nothing is wrong with the tarball. */
function isOfDisk(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EIO', 'EMFILE', 'EROFS', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '');
}
