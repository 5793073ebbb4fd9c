const NEWLINE = 0x0a;

export interface Line {
  readonly text: string;
  /** True: the line went on, and the rest was dropped. */
  readonly cut: boolean;
}

/** Makes lines of chunks of bytes: `\n` or `\r\n`, characters and lines split anywhere, no line kept beyond `maxBytes`. */
export class LineSplitter {
  private parts: Buffer[] = [];
  private length = 0;
  private cut = false;

  constructor(private readonly maxBytes: number) {}

  *push(chunk: Buffer): Generator<Line> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.keep(chunk.subarray(start, end));
      yield this.take();
      start = end + 1;
    }
    this.keep(chunk.subarray(start));
  }

  /** The last line, where no newline ended it. */
  *end(): Generator<Line> {
    if (this.length > 0) yield this.take();
  }

  private keep(bytes: Buffer): void {
    const kept = bytes.subarray(0, this.maxBytes - this.length);
    this.cut ||= kept.length < bytes.length;
    if (kept.length > 0) this.parts.push(kept);
    this.length += kept.length;
  }

  private take(): Line {
    const line = { text: Buffer.concat(this.parts).toString('utf8').replace(/\r$/, ''), cut: this.cut };
    this.parts = [];
    this.length = 0;
    this.cut = false;
    return line;
  }
}
