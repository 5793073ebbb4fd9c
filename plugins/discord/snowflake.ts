/** Milliseconds since 1970 at which the ids of Discord begin. */
const EPOCH_MS = 1_420_070_400_000;
const CLOCK_BITS = 22n;

/** The smallest id that could have been given at an instant: what came after it has a larger one. */
export function snowflakeAt(instantMs: number): string {
  return String(BigInt(Math.max(0, Math.floor(instantMs) - EPOCH_MS)) << CLOCK_BITS);
}

/** When an id was given, in milliseconds since 1970. */
export function instantOf(id: string): number {
  return Number(BigInt(id) >> CLOCK_BITS) + EPOCH_MS;
}

/** Orders ids by their age, the oldest first. */
export function byAge(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
