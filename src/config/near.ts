/** The candidate that somebody who wrote `word` most likely meant; null when none is near. */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distance = bareKey(word) === bareKey(candidate) ? 0 : editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  const tolerated = Math.max(1, Math.floor(word.length / 3));
  return bestDistance <= tolerated ? best : null;
}

/** `; did you mean …?`, or nothing when no candidate is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const near = nearest(word, candidates);
  return near === null ? '' : `; did you mean \`${near}\`?`;
}

/** A key without case, `_`, `-` and `.`: the form in which environment variables match keys. */
export function bareKey(key: string): string {
  return key.replace(/[_.-]/g, '').toLowerCase();
}

/** Damerau-Levenshtein distance with adjacent swaps (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substitution = at(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, substitution);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      current.push(cost);
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? 0;
}
