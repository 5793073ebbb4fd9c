import { parseDuration } from '../../core/duration.js';

const BEGINNING = '2026-01-01T00:00:00.000Z';

/** Time that stands until somebody moves it. */
export class FakeClock {
  private ms: number;

  /** `beginning`: ISO-8601. */
  constructor(beginning: string = BEGINNING) {
    this.ms = Date.parse(beginning);
    if (Number.isNaN(this.ms)) throw new Error(`${beginning} is no instant, such as ${BEGINNING}`);
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.ms;
  }

  toISOString(): string {
    return new Date(this.ms).toISOString();
  }

  /** `duration`: `250ms`, `5s`, `1h`, `7d`. */
  advance(duration: string): void {
    const ms = parseDuration(duration);
    if (ms === null) throw new Error(`${duration} is no duration, such as 250ms, 5s, 1h or 7d`);
    this.ms += ms;
  }
}
