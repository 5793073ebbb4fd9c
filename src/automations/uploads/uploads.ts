import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { audited } from '../../core/audited.js';
import { storable } from '../../core/storable.js';
import {
  completeUpload,
  failUpload,
  forgetUpload,
  insertUpload,
  type NewUpload,
  staleUploads,
  type UploadRow,
} from '../../core/uploads/uploads.js';
import type { Database } from '../../database/database.js';
import { BodyTooLarge, RequestAborted, UnsupportedMediaType } from '../../http/http-errors.js';
import { Conflict, NotFound } from '../../plugin/index.js';
import { checkTarball } from '../sandboxes/tarball.js';
import { TARBALL_LIMITS } from '../sandboxes/tarball-entry.js';

export type Described = Pick<NewUpload, 'org' | 'owner' | 'name' | 'description'>;

const TYPES = ['application/gzip', 'application/x-gzip', 'application/tar', 'application/x-tar', 'application/octet-stream'];
const ERROR_CHARACTERS = 500;
const BATCH = 100;
/** A run that has begun reads its file within this time; an upload is over by then. */
const STALE_MS = 3_600_000;

/** Files that automations start, in a folder of their own. */
export class Uploads {
  constructor(
    private readonly database: Database,
    private readonly folder: string,
    /** As it comes. */
    private readonly limit: number,
  ) {}

  /** Judges type and length before the first byte, and the rest while it comes. What is refused leaves no file. */
  async receive(request: IncomingMessage, described: Described): Promise<UploadRow> {
    assertType(request);
    if (Number(request.headers['content-length'] ?? 0) > this.limit) throw new BodyTooLarge(this.limit);
    const id = randomUUID();
    await this.database.transaction((tx) => insertUpload(tx, { ...described, id, file: id }));
    try {
      return await this.store(request, id);
    } catch (error) {
      await rm(this.pathOf(id), { force: true });
      await rm(this.partOf(id), { force: true });
      const why = storable((error as Error).message, ERROR_CHARACTERS);
      // What came of it is told to whoever sent it; that it cannot be stored as well is no more than that.
      await this.database.transaction((tx) => failUpload(tx, id, why)).catch(() => undefined);
      throw error;
    }
  }

  /** Throws `NotFound` where the file is not on this machine. */
  async read({ id, file }: Pick<UploadRow, 'id' | 'file'>): Promise<Readable> {
    const handle = await open(this.pathOf(file)).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOENT') throw cause;
      throw new NotFound(`The file of upload ${id} is not in the data folder of this server.`, { cause });
    });
    return createReadStream('', { fd: handle });
  }

  pathOf(file: string): string {
    return path.join(this.folder, path.basename(file));
  }

  /** Removes the files of those that nobody can have any more; how many. */
  async sweep(signal: AbortSignal, afterMs = STALE_MS): Promise<number> {
    for (let count = 0; ; ) {
      const stale = await this.database.transaction((tx) => staleUploads(tx, afterMs, BATCH));
      for (const { id, file } of stale) {
        if (signal.aborted) return count;
        await rm(this.pathOf(file), { force: true });
        await rm(this.partOf(file), { force: true });
        await this.database.transaction((tx) => forgetUpload(tx, id));
        count += 1;
      }
      if (stale.length < BATCH) return count;
    }
  }

  private async store(request: IncomingMessage, id: string): Promise<UploadRow> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const part = this.partOf(id);
    const written = await this.write(request, part);
    await checkTarball(part, { ...TARBALL_LIMITS, packedBytes: this.limit });
    await rename(part, this.pathOf(id));
    const row = await audited(this.database, (tx) => completeUpload(tx, id, written));
    if (row === null) throw new Conflict('The upload took so long that it was given up; send it again.');
    return row;
  }

  private async write(request: IncomingMessage, part: string): Promise<{ size: number; sha256: string }> {
    const file = await open(part, 'wx', 0o600);
    const hash = createHash('sha256');
    let size = 0;
    try {
      for await (const chunk of chunksOf(request)) {
        size += chunk.length;
        if (size > this.limit) throw new BodyTooLarge(this.limit);
        hash.update(chunk);
        await file.writeFile(chunk);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    return { size, sha256: hash.digest('hex') };
  }

  private partOf(file: string): string {
    return `${this.pathOf(file)}.part`;
  }
}

/** The request outlives a refusal in the middle of it: its sender is to read why. */
async function* chunksOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (cause) {
    if (request.complete) throw cause;
    throw new RequestAborted();
  }
}

/** As it was sent: the parser of bodies has not to see it. */
function assertType({ rawHeaders }: IncomingMessage): void {
  const valuesOf = (name: string) => rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
  const [type = '', ...others] = valuesOf('content-type').map((value) => value.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  if (others.length > 0 || !TYPES.includes(type))
    throw new UnsupportedMediaType('Send a tarball, with content-type application/gzip, application/x-tar or application/octet-stream.');
  if (valuesOf('content-encoding').some((encoding) => encoding.toLowerCase() !== 'identity'))
    throw new UnsupportedMediaType('A tarball is taken without a content-encoding: what is packed is said by its content-type.');
}
