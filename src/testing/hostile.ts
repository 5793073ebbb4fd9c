/** A check is to take seconds, whatever the provider puts into its payloads. */
const MOST_VARIANTS = 4_000;

/** Values that no reader expects everywhere. */
export const HOSTILE: readonly unknown[] = [
  ...[null, true, 0, -1, 0.5, 1e300, '', ' ', 'x', '\0', '\ud800', '\u{1f600}'.repeat(300), '2026-13-40T99:99:99Z'],
  ...[[], {}, [null], [[[]]], { id: {} }],
  JSON.parse('{"__proto__": {"id": 1}, "constructor": null, "toString": "x", "length": -1}'),
];

/** `undefined` takes the value away. */
const CHANGES: readonly unknown[] = [undefined, ...HOSTILE];

/**
 * The hostile values themselves, then the payload with each of its values in turn replaced by each of them, or taken away. Of a payload with
 * many values, each is replaced by some of them, and neighbours by others.
 */
export function* hostileVariants(payload: unknown): Generator<unknown> {
  yield* HOSTILE;
  const places = placesIn(payload);
  const each = Math.min(CHANGES.length, Math.max(1, Math.floor(MOST_VARIANTS / Math.max(1, places.length))));
  let next = 0;
  for (const place of places)
    for (let changed = 0; changed < each; changed += 1) yield replaced(payload, place, CHANGES[next++ % CHANGES.length]);
}

type Place = readonly string[];

function placesIn(value: unknown, at: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[...at, key], ...placesIn(inner, [...at, key])]);
}

/** A copy that shares all but the way to the place. */
function replaced(target: unknown, [key, ...rest]: Place, value: unknown): unknown {
  if (key === undefined) return value;
  const entries = Object.entries(target as object);
  const changed = entries.flatMap(([name, inner]): [string, unknown][] => {
    if (name !== key) return [[name, inner]];
    const next = replaced(inner, rest, value);
    return next === undefined ? [] : [[name, next]];
  });
  return Array.isArray(target) ? changed.map(([, inner]) => inner) : Object.fromEntries(changed);
}
