import type { Tx } from '../../database/tx.js';
import { type Found, findSlice, type Slice, Where } from '../listing.js';
import type { TokenRow } from './tokens.js';

export type TokenPosition = readonly [id: number];

export async function listTokens(tx: Tx, org: string, slice: Slice<TokenPosition>): Promise<Found<TokenRow, TokenPosition>> {
  const where = new Where().and('org = ?', org);
  if (slice.after) where.and('id < ?', ...slice.after);
  const select = 'select id, org, name, role, created_at, revoked_at from tokens';
  return findSlice(tx, { select, where, order: 'id desc' }, slice, (row: TokenRow) => [row.id]);
}
