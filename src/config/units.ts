const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const BYTES: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };
const LONGEST_MS = 3650 * 86_400_000;

export const DURATION_PATTERN = '^\\d+(\\.\\d+)?(ms|s|m|h|d)$';
export const SIZE_PATTERN = '^\\d+(\\.\\d+)?\\s*([kKmMgG]?[bB])$';

/** Milliseconds of `250ms`, `5s`, `5m`, `1h`, `7d`; null for anything else, a bare number included. */
export function parseDuration(value: unknown): number | null {
  if (typeof value !== 'string' || !new RegExp(DURATION_PATTERN).test(value)) return null;
  const milliseconds = Math.round(Number.parseFloat(value) * (MILLISECONDS[value.replace(/^[\d.]+/, '')] ?? Number.NaN));
  return milliseconds <= LONGEST_MS ? milliseconds : null;
}

/** Bytes of `25mb`, `512kb` (powers of 1024), or of a whole number of bytes; null for anything else. */
export function parseSize(value: unknown): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : null;
  if (typeof value !== 'string' || !new RegExp(SIZE_PATTERN).test(value)) return null;
  const unit = value.replace(/^[\d.]+\s*/, '').toLowerCase();
  const bytes = Math.round(Number.parseFloat(value) * (BYTES[unit] ?? Number.NaN));
  return Number.isSafeInteger(bytes) ? bytes : null;
}

/** For values that the schema has checked. */
export function milliseconds(duration: string): number {
  return parseDuration(duration) ?? 0;
}
