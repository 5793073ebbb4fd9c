import { parseDuration } from '../core/duration.js';

export { DURATION_PATTERN, parseDuration } from '../core/duration.js';

const BYTES: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

export const SIZE_PATTERN = '^\\d+(\\.\\d+)?\\s*([kKmMgG]?[bB])$';

/** Bytes of `25mb`, `512kb` (powers of 1024), or of a whole number of bytes; null for anything else. */
export function parseSize(value: unknown): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : null;
  if (typeof value !== 'string' || !new RegExp(SIZE_PATTERN).test(value)) return null;
  const unit = value.replace(/^[\d.]+\s*/, '').toLowerCase();
  const bytes = Math.round(Number.parseFloat(value) * (BYTES[unit] ?? Number.NaN));
  return Number.isSafeInteger(bytes) ? bytes : null;
}

/** For values that the schema has checked. */
export function bytes(size: string | number): number {
  return parseSize(size) ?? 0;
}

/** For values that the schema has checked. */
export function milliseconds(duration: string): number {
  return parseDuration(duration) ?? 0;
}
