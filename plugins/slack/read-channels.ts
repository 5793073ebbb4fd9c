import type { Channel } from './installation.js';
import { fields, timestamp } from './json.js';

/** What the host stores at most. */
const LONGEST = 60_000;

/** Up to which message each channel was read. */
export class ReadChannels {
  private constructor(private readonly instants: Map<string, string>) {}

  static from(saved: string | null): ReadChannels {
    const entries = Object.entries(readJson(saved) ?? {}).flatMap(([channel, instant]) => {
      const known = timestamp(instant);
      return known === undefined ? [] : [[channel, known] as const];
    });
    return new ReadChannels(new Map(entries));
  }

  upTo({ id }: Channel): string | undefined {
    return this.instants.get(id);
  }

  note({ id }: Channel, instant: string): void {
    // What was noted last stands last.
    this.instants.delete(id);
    this.instants.set(id, instant);
  }

  /** Those first that were never read. */
  inOrder(channels: readonly Channel[]): Channel[] {
    return channels.toSorted((a, b) => Number(this.instants.has(a.id)) - Number(this.instants.has(b.id)));
  }

  /** Of very many channels the last: one that is left out is read from the beginning again, and what comes twice is taken once. */
  toString(): string {
    const entries = [...this.instants];
    for (;;) {
      const text = JSON.stringify(Object.fromEntries(entries));
      if (text.length <= LONGEST) return text;
      entries.splice(0, Math.ceil(entries.length / 10));
    }
  }
}

function readJson(text: string | null): Readonly<Record<string, unknown>> | undefined {
  try {
    return text === null ? undefined : fields(JSON.parse(text));
  } catch {
    return undefined;
  }
}
