import { appendFileSync } from 'node:fs';

/** A time in which a server was killed, paused or told to stop: what ran then may be repeated. */
export interface Cut {
  /** Which incarnation, such as `one.17`. */
  readonly server: string;
  readonly from: number;
  readonly to: number;
  /** The name of a point, or what else was done to it. */
  readonly how: string;
}

/** What was done to the servers, and what they did that no server should. */
export class Chronicle {
  readonly cuts: Cut[] = [];
  readonly faults: string[] = [];
  /** How often each thing was done. */
  readonly counts = new Map<string, number>();
  /** Told of everything as it happens. */
  onEvent: (text: string, server: string) => void = () => {};

  constructor(private readonly file: string) {}

  cut(cut: Cut): void {
    this.cuts.push(cut);
    this.note({ ...cut });
  }

  /** One more of those that the summary counts. */
  count(how: string, server: string): void {
    this.counts.set(how, (this.counts.get(how) ?? 0) + 1);
    this.onEvent(how, server);
  }

  fault(text: string): void {
    this.faults.push(text);
    this.note({ fault: text });
  }

  private note(what: object): void {
    appendFileSync(this.file, `${JSON.stringify({ at: Date.now(), ...what })}\n`);
  }
}
