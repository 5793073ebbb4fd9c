import path from 'node:path';

const LONGEST_STEM = 80;
const LONGEST_ENDING = 16;
/** Control characters, separators of paths of any system, and what shells and Windows read into a name. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}/\\:*?"<>|$`&;'!~#%{}[\]]+/gu;

/** A name for a file on disk out of one that its author chose: one component, which is no option, not hidden and no place. */
export function safeName(name: string, taken: ReadonlySet<string> = new Set()): string {
  const plain = name.toWellFormed().normalize('NFC').replace(UNSAFE, ' ').replace(/\s+/g, '_');
  const bare = plain.replace(/^[._-]+/, '').replace(/[._]+$/, '');
  const ending = path.extname(bare).slice(0, LONGEST_ENDING);
  const stem = Array.from(path.basename(bare, path.extname(bare)))
    .slice(0, LONGEST_STEM)
    .join('');
  const whole = `${stem || 'file'}${ending}`;
  // Systems that take A and a for the same file would lose one of them.
  for (let count = 1; ; count++) {
    const numbered = count === 1 ? whole : `${stem || 'file'}-${count}${ending}`;
    if (!taken.has(numbered.toLowerCase())) return numbered;
  }
}
