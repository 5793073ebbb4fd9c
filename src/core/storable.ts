/** Text as both databases take it: no lone surrogates, no NUL, at most `max` characters. For what people read, never for identities. */
export function storable(text: string, max: number): string {
  const clean = text.toWellFormed().replaceAll('\0', '\uFFFD');
  if (clean.length <= max) return clean;
  // One more than fits may be half of a pair.
  return `${clean.slice(0, max - 1).toWellFormed()}…`;
}
