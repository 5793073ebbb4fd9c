type Lookup = (path: string) => string | null;

/**
 * Fills `{a.b|c}` with the first value that is there. A part in brackets is left out where one of its values is missing;
 * elsewhere `missing` stands for it. Values are never read as templates.
 */
export function fill(template: string, lookup: Lookup, missing = 'unknown'): string {
  return template
    .replace(/\[([^[\]]*)\]/g, (_, part: string) => (placeholders(part).every((paths) => first(paths, lookup) !== null) ? part : ''))
    .replace(/\{([^{}]+)\}/g, (_, paths: string) => first(paths, lookup) ?? missing);
}

function placeholders(part: string): readonly string[] {
  return [...part.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] ?? '');
}

function first(paths: string, lookup: Lookup): string | null {
  for (const path of paths.split('|')) {
    const value = lookup(path);
    if (value !== null) return value;
  }
  return null;
}

/** A sentence, where to look, and what the author wrote. */
export function textOf(sentence: string, url: string | null, words: string): string {
  const lead = url === null ? `${sentence}.` : `${sentence}.\n${url}`;
  return words.trim() === '' ? lead : `${lead}\n\n${words}`;
}
