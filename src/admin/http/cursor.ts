import { isApprovalId } from '../../core/approvals/approval.js';
import { isConversationId } from '../../core/conversations/conversation-id.js';
import type { Found, Slice } from '../../core/listing.js';
import { badParameter } from '../errors.js';

/** `small`: what a column of 32 bits can be compared with. */
type Kind = 'number' | 'small' | 'id' | 'approval';
type PositionOf<Kinds extends readonly Kind[]> = { readonly [I in keyof Kinds]: Kinds[I] extends 'id' | 'approval' ? string : number };

/** The part of a list that a query asks for; `kinds` is what a position in that list is made of. */
export function sliceOf<const Kinds extends readonly Kind[]>(
  query: { limit: number; cursor?: string },
  kinds: Kinds,
): Slice<PositionOf<Kinds>> {
  return { limit: query.limit, after: query.cursor === undefined ? null : decode(query.cursor, kinds) };
}

export function pageOf<Row, Item>(
  found: Found<Row, readonly (number | string)[]>,
  view: (row: Row) => Item,
): { items: Item[]; next_cursor: string | null } {
  return {
    items: found.rows.map(view),
    next_cursor: found.next === null ? null : Buffer.from(JSON.stringify(found.next)).toString('base64url'),
  };
}

function decode<const Kinds extends readonly Kind[]>(cursor: string, kinds: Kinds): PositionOf<Kinds> {
  const values = parse(cursor);
  const fits = values.length === kinds.length && kinds.every((kind, i) => isOf(kind, values[i]));
  if (!fits) throw badParameter('cursor', 'is not a cursor of this list; take next_cursor of the page before, or leave it out');
  return values as unknown as PositionOf<Kinds>;
}

function parse(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function isOf(kind: Kind, value: unknown): boolean {
  switch (kind) {
    case 'number':
      return Number.isSafeInteger(value);
    case 'small':
      return Number.isInteger(value) && Number(value) === (Number(value) | 0);
    case 'id':
      return typeof value === 'string' && isConversationId(value);
    case 'approval':
      return typeof value === 'string' && isApprovalId(value);
  }
}
