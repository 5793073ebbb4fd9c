import path from 'node:path';

/** A conversation's own folder, as it was found. */
export interface FoundFolder {
  /** `none`: there is nothing there; `other`: a link, a file or anything else that we did not make. */
  readonly kind: 'none' | 'folder' | 'other';
  /** Whether a file, a link or anything else but a folder is in it, however deep. */
  readonly holdsFiles: boolean;
}

export type Fate = 'remove' | 'keep' | 'none';

/** What becomes of the folder of a conversation that ended: only an empty one goes, anything that somebody put there stays, complete. */
export function fateOf(folder: string, found: FoundFolder, configured: readonly string[]): Fate {
  if (found.kind === 'none') return 'none';
  if (found.kind === 'other' || found.holdsFiles) return 'keep';
  return configured.some((directory) => overlaps(folder, directory)) ? 'keep' : 'remove';
}

/** What an operator named in `directory` is never ours, wherever it is. */
function overlaps(folder: string, directory: string): boolean {
  return isWithin(folder, directory) || isWithin(directory, folder);
}

function isWithin(inner: string, outer: string): boolean {
  const way = path.relative(outer, inner);
  return way === '' || (!way.startsWith(`..${path.sep}`) && way !== '..' && !path.isAbsolute(way));
}
