import { InvalidInput } from '../plugin/errors.js';

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_page_id: string | null;
}

const MOST = 100;

/**
 * A part of a list that grows at its end, from its start on or from its end back. `page_id` is the place of its first item, which stays its
 * own while others come.
 */
export function pageOf<Item>(
  list: readonly Item[],
  query: Readonly<Record<string, string | undefined>>,
  isNewestFirst = false,
): Page<Item> {
  const { page_id: page, limit = String(MOST) } = query;
  const first = page === undefined ? (isNewestFirst ? list.length - 1 : 0) : wholeOf('page_id', page, 0, Number.MAX_SAFE_INTEGER);
  const count = wholeOf('limit', limit, 1, MOST);
  if (!isNewestFirst)
    return { items: list.slice(first, first + count), next_page_id: first + count < list.length ? String(first + count) : null };
  const items = list.slice(Math.max(0, first - count + 1), first + 1).reverse();
  return { items, next_page_id: first >= count ? String(first - count) : null };
}

function wholeOf(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most)
    throw new InvalidInput(`${name} must be a whole number from ${least} to ${most}`);
  return value;
}
