// What the handler of a system did, written down by the handler itself: the systems are judged by this alone.
import { openSync, writeSync } from 'node:fs';
import { markOf } from '../load/issue-comment.mjs';
import { now } from './clock.mjs';

const FLUSH_MS = 20;

export class Recorder {
  #file;
  #lines = [];
  #turns = 0;
  #timer = null;

  constructor(path) {
    this.#file = openSync(path, 'a');
    process.on('exit', () => this.#flush());
  }

  /** The handler begins on these texts. Resolves to the number that `end` wants. */
  begin(texts) {
    const turn = ++this.#turns;
    const marks = texts.map(markOf).map((mark) => (mark ? `${mark.subject}:${mark.number}` : '?'));
    this.#write(`B ${turn} ${now()} ${marks.join(' ')}`);
    return turn;
  }

  end(turn) {
    this.#write(`E ${turn} ${now()}`);
  }

  #write(line) {
    this.#lines.push(line);
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS);
  }

  #flush() {
    this.#timer = null;
    if (this.#lines.length === 0) return;
    writeSync(this.#file, `${this.#lines.join('\n')}\n`);
    this.#lines = [];
  }
}

/** The work of every peer's handler: what the product's `echo` runtime does, written down. */
export async function echo(recorder, texts) {
  const turn = recorder.begin(texts);
  await new Promise((resolve) => setImmediate(resolve));
  recorder.end(turn);
  return texts.join('\n');
}
