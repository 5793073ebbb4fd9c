import { createHash } from 'node:crypto';
import { type Fields, fields, word } from 'throughline/plugin';

/** Where a message of ours has its key; clients show it to nobody, and history gives it back. */
const KEY = 'dev.throughline.key';

export function marked(content: Fields, key: string): Fields {
  return { ...content, [KEY]: key };
}

/** The key of a message, whoever wrote it: that it is ours its sender says. */
export function keyOf(event: Fields): string | undefined {
  return word(fields(event.content)?.[KEY]);
}

/** Homeservers take the same transaction of a device once. */
export function transactionOf(...parts: readonly string[]): string {
  return `tl-${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 40)}`;
}
