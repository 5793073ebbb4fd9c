const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_MS = 3650 * 86_400_000;

export const DURATION_PATTERN = '^\\d+(\\.\\d+)?(ms|s|m|h|d)$';

const DURATION = new RegExp(DURATION_PATTERN);

/** Milliseconds of `250ms`, `5s`, `5m`, `1h`, `7d`; null for anything else, a bare number included. */
export function parseDuration(value: unknown): number | null {
  if (typeof value !== 'string' || !DURATION.test(value)) return null;
  const milliseconds = Math.round(Number.parseFloat(value) * (MILLISECONDS[value.replace(/^[\d.]+/, '')] ?? Number.NaN));
  return milliseconds <= LONGEST_MS ? milliseconds : null;
}
