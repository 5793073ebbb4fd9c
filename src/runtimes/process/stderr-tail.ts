import type { Readable } from 'node:stream';
import { storable } from '../../core/storable.js';

const MAX_BYTES = 4 * 1024;

/** Reads all of a stream and keeps its end. */
export class StderrTail {
  private tail = Buffer.alloc(0);

  constructor(stream: Readable, onData: () => void) {
    stream.on('data', (chunk: Buffer) => {
      this.tail = Buffer.concat([this.tail, chunk]).subarray(-MAX_BYTES);
      onData();
    });
    stream.on('error', () => {});
  }

  /** The last 4 KB, from the first whole character on; null when nothing was printed. */
  text(): string | null {
    const first = this.tail.findIndex((byte) => (byte & 0xc0) !== 0x80);
    return storable(this.tail.subarray(Math.max(first, 0)).toString('utf8'), MAX_BYTES) || null;
  }
}
