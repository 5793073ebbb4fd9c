const MOST_PLACES = 300;

/** Values that no reader expects everywhere. */
export const HOSTILE: readonly unknown[] = [
  ...[null, true, 0, -1, 0.5, 1e300, '', ' ', 'x', '\0', '\ud800', '\u{1f600}'.repeat(300), '2026-13-40T99:99:99Z'],
  ...[[], {}, [null], [[[]]], { id: {} }],
  JSON.parse('{"__proto__": {"id": 1}, "constructor": null, "toString": "x", "length": -1}'),
];

/** A payload with each of its values in turn replaced by each of the hostile ones, or taken away. */
export function* hostileVariants(payload: unknown): Generator<unknown> {
  yield* HOSTILE;
  for (const place of placesIn(payload).slice(0, MOST_PLACES)) {
    for (const value of HOSTILE) yield replaced(payload, place, value);
    yield replaced(payload, place, undefined);
  }
}

type Place = readonly string[];

function placesIn(value: unknown, at: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[...at, key], ...placesIn(inner, [...at, key])]);
}

/** A copy that shares all but the way to the place; `undefined` takes the value away. */
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
