/** Name and value of each header line, in wire order, with repetitions kept. */
export type RawHeaders = readonly (readonly [name: string, value: string])[];

/** Node's flat list (`[name, value, name, value, …]`) as pairs. */
export function pairsOf(flat: readonly string[]): RawHeaders {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) pairs.push([flat[index] ?? '', flat[index + 1] ?? '']);
  return pairs;
}

/** Values of every line with this name; `name` is in lower case. */
export function valuesOf(headers: RawHeaders, name: string): string[] {
  return headers.filter(([header]) => header.length === name.length && header.toLowerCase() === name).map(([, value]) => value);
}

export function headersOf(rawHeaders: RawHeaders): Record<string, string | string[]> {
  const headers = new Map<string, string | string[]>();
  for (const [name, value] of rawHeaders) {
    const key = name.toLowerCase();
    const earlier = headers.get(key);
    headers.set(key, earlier === undefined ? value : [earlier, value].flat());
  }
  return Object.fromEntries(headers);
}
