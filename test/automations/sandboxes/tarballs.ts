import { gzipSync } from 'node:zlib';

export interface Entry {
  readonly path: string;
  readonly body?: string | Buffer;
  /** As the header says it: `0` a file, `1` and `2` links, `3` and `4` devices, `5` a folder, `6` a pipe. */
  readonly type?: string;
  readonly link?: string;
  readonly mode?: number;
}

const BLOCK = 512;

/** Written by hand, since what packs honest files refuses to write the others. */
export function tar(...entries: readonly Entry[]): Buffer {
  return Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(2 * BLOCK)]);
}

export function tarGz(...entries: readonly Entry[]): Buffer {
  return gzipSync(tar(...entries));
}

function blocksOf({ path, body = '', type = '0', link = '', mode = 0o644 }: Entry): Buffer[] {
  const bytes = Buffer.from(body);
  const header = Buffer.alloc(BLOCK);
  header.write(path, 0, 100);
  header.write(octal(mode, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(bytes.length, 11), 124);
  header.write(octal(0, 11), 136);
  header.write(' '.repeat(8), 148);
  header.write(type, 156);
  header.write(link, 157, 100);
  header.write('ustar\u000000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148, 'latin1');
  return [header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}
