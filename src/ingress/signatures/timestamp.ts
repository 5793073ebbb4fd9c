import type { SignatureScheme } from '../../plugin/index.js';

type TimestampRule = NonNullable<SignatureScheme['timestamp']>;

/** Digits alone: `Number` would also read exponents, fractions and signs, and then other text than was signed gives the same time. */
const DIGITS = /^\d{1,16}$/;

/** Milliseconds since 1970 of a timestamp that is a text, or null when it is none. */
export function instantFromText(text: string, unit: TimestampRule['unit']): number | null {
  return DIGITS.test(text) ? toMilliseconds(Number(text), unit) : null;
}

/** Milliseconds since 1970 of the number at a dotted path of own properties, or null when there is no number. */
export function instantAtPath(json: unknown, path: string, unit: TimestampRule['unit']): number | null {
  let value = json;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null;
    value = Reflect.get(value, key);
  }
  return typeof value === 'number' && Number.isFinite(value) ? toMilliseconds(value, unit) : null;
}

/** How old an instant is, in milliseconds. Seconds are compared with whole seconds, so that the edge of the window is inclusive. */
export function ageOf(instantMs: number, nowSeconds: number, unit: TimestampRule['unit']): number {
  const now = unit === 's' ? Math.floor(nowSeconds) * 1000 : Math.round(nowSeconds * 1000);
  return now - instantMs;
}

export function isWithin({ toleranceSeconds }: TimestampRule, ageMs: number): boolean {
  return Math.abs(ageMs) <= toleranceSeconds * 1000;
}

function toMilliseconds(value: number, unit: TimestampRule['unit']): number {
  return unit === 's' ? value * 1000 : value;
}
