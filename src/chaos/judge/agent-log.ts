import { closeSync, existsSync, openSync, readSync } from 'node:fs';

/** A line that an agent wrote about a message. Their order in the file is that in which they were written. */
export interface Sighting {
  /** By the agent's clock, which is that of the machine. */
  readonly at: number;
  /** The incarnation that started the agent. */
  readonly server: string;
  readonly conversation: string;
  readonly turn: string;
  readonly what: 'begin' | 'at work' | 'fail' | 'end';
  readonly delivery: string;
  readonly sequence: number;
  /** The id that the producer wrote into the text, or ''. */
  readonly sent: string;
}

/** Reads what was added to the file since the last time. */
export class AgentLog {
  readonly sightings: Sighting[] = [];
  /** How often a message was handled to its end. */
  handled = 0;
  private offset = 0;
  private rest = '';

  constructor(private readonly file: string) {}

  readOn(): readonly Sighting[] {
    const lines = (this.rest + this.added()).split('\n');
    this.rest = lines.pop() ?? '';
    const fresh = lines.map((line) => JSON.parse(line) as Sighting);
    this.sightings.push(...fresh);
    this.handled += fresh.filter(({ what }) => what === 'end').length;
    return fresh;
  }

  private added(): string {
    if (!existsSync(this.file)) return '';
    const file = openSync(this.file, 'r');
    try {
      const parts: Buffer[] = [];
      for (;;) {
        const part = Buffer.alloc(1 << 16);
        const count = readSync(file, part, 0, part.length, this.offset);
        if (count === 0) return Buffer.concat(parts).toString('utf8');
        this.offset += count;
        parts.push(part.subarray(0, count));
      }
    } finally {
      closeSync(file);
    }
  }
}
