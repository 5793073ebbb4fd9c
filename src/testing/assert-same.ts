import assert from 'node:assert/strict';

/**
 * Fails where two values are not the same JSON, whatever the order of their keys. Test frameworks run code in realms of their own, whose
 * objects are others to `deepStrictEqual`.
 */
export function assertSame(actual: unknown, expected: unknown, message: string): void {
  assert.equal(written(actual), written(expected), `${message}: ${written(actual)} instead of ${written(expected)}`);
}

function written(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (isMap(each) ? sorted(each) : each)) ?? 'nothing';
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(map: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}
