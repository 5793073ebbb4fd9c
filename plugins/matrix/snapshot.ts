import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scrypt } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { ConfigFault } from 'throughline/plugin';
import type { MatrixStore } from './matrix.options.js';

const MAGIC = Buffer.from('TLMX1');
const GENERATION_BYTES = 16;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The keys of a device's store, of the words that are configured: one for the file, one for what the device itself stores in it. */
export async function keysOf({ key }: MatrixStore, owner: string): Promise<{ readonly file: Buffer; readonly device: Buffer }> {
  const master = await new Promise<Buffer>((resolve, reject) =>
    scrypt(key, `throughline matrix ${owner}`, 32, (error, made) => (error ? reject(error) : resolve(made))),
  );
  const [file, device] = ['file', 'device'].map((use) => Buffer.from(hkdfSync('sha256', master, Buffer.alloc(0), use, 32)));
  return { file: file as Buffer, device: device as Buffer };
}

/**
 * One file that holds the keys of a device, encrypted and bound to whose device it is. It is replaced whole, so that a crash leaves the one
 * before or the one after. One server writes it: a second one would use the same keys for other messages, and is found by the generation.
 */
export class Snapshot {
  private generation: Buffer | null = null;

  constructor(
    private readonly file: string,
    private readonly key: Buffer,
    /** What the content belongs to: with another device it does not open. */
    private readonly owner: string,
  ) {}

  /** Null: there is none yet. Throws `ConfigFault` where it cannot be opened. */
  async read(): Promise<Buffer | null> {
    const bytes = await this.bytes();
    if (bytes === null) return null;
    const { generation, iv, tag, content } = partsOf(bytes, this.file);
    const decipher = createDecipheriv('aes-256-gcm', this.key, iv).setAuthTag(tag).setAAD(this.bound(generation));
    try {
      const opened = Buffer.concat([decipher.update(content), decipher.final()]);
      this.generation = generation;
      return opened;
    } catch (cause) {
      throw new ConfigFault(
        `${this.file} does not open: it is of another device than ${this.owner}, or \`store.key\` is not the one that it was written with`,
        { cause },
      );
    }
  }

  async write(content: Buffer): Promise<void> {
    await this.checkUntouched();
    const [generation, iv] = [randomBytes(GENERATION_BYTES), randomBytes(IV_BYTES)];
    const cipher = createCipheriv('aes-256-gcm', this.key, iv).setAAD(this.bound(generation));
    const encrypted = Buffer.concat([cipher.update(content), cipher.final()]);
    await this.replace(Buffer.concat([MAGIC, generation, iv, cipher.getAuthTag(), encrypted]));
    this.generation = generation;
  }

  private async checkUntouched(): Promise<void> {
    const present = await this.bytes();
    const generation = present === null ? null : partsOf(present, this.file).generation;
    if (this.generation === null ? generation === null : generation?.equals(this.generation)) return;
    throw new ConfigFault(`${this.file} was changed by another server: a device with encryption is one server’s alone`);
  }

  private async replace(bytes: Buffer): Promise<void> {
    await mkdir(path.dirname(this.file), { recursive: true, mode: 0o700 });
    const draft = `${this.file}.new`;
    const handle = await open(draft, 'w', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, this.file);
  }

  private async bytes(): Promise<Buffer | null> {
    return readFile(this.file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw new ConfigFault(`${this.file} cannot be read (${error.code}): let the server read and write the folder \`store.folder\``, {
        cause: error,
      });
    });
  }

  private bound(generation: Buffer): Buffer {
    return Buffer.concat([generation, Buffer.from(this.owner)]);
  }
}

function partsOf(bytes: Buffer, file: string): Record<'generation' | 'iv' | 'tag' | 'content', Buffer> {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new ConfigFault(`${file} is no snapshot of this plugin`);
  const iv = MAGIC.length + GENERATION_BYTES;
  const [tag, content] = [iv + IV_BYTES, iv + IV_BYTES + TAG_BYTES];
  return {
    generation: bytes.subarray(MAGIC.length, iv),
    iv: bytes.subarray(iv, tag),
    tag: bytes.subarray(tag, content),
    content: bytes.subarray(content),
  };
}
