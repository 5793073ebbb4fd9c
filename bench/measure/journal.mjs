// Reads what recorders wrote, while they write it.
import { closeSync, existsSync, openSync, readSync } from 'node:fs';

const CHUNK = Buffer.alloc(1024 * 1024);

/** The journals of one system: of each of its processes one. */
export class Journal {
  /** `{ kind: 'begin' | 'end', turn, at, marks }`, of all processes. */
  events = [];
  /** The deliveries whose handling has ended. */
  ended = new Set();
  #files;

  constructor(paths) {
    this.#files = paths.map((path, process) => ({ path, process, offset: 0, rest: '', open: new Map() }));
  }

  /** Takes in what is new. */
  read() {
    for (const file of this.#files) if (existsSync(file.path)) this.#readFile(file);
  }

  /** Forgets what was read so far. */
  forget() {
    this.read();
    this.events = [];
    this.ended = new Set();
  }

  #readFile(file) {
    const descriptor = openSync(file.path, 'r');
    try {
      for (;;) {
        const length = readSync(descriptor, CHUNK, 0, CHUNK.length, file.offset);
        if (length === 0) return;
        file.offset += length;
        const lines = (file.rest + CHUNK.toString('latin1', 0, length)).split('\n');
        file.rest = lines.pop();
        for (const line of lines) this.#take(line, file);
      }
    } finally {
      closeSync(descriptor);
    }
  }

  #take(line, { process, open }) {
    const [kind, number, at, ...marks] = line.split(' ');
    const turn = `${process}.${number}`;
    if (kind === 'B') {
      open.set(turn, marks);
      this.events.push({ kind: 'begin', turn, at: Number(at), marks });
      return;
    }
    const begun = open.get(turn) ?? [];
    open.delete(turn);
    for (const mark of begun) this.ended.add(mark);
    this.events.push({ kind: 'end', turn, at: Number(at), marks: begun });
  }
}
