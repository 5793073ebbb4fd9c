import { first, type Tx } from '../../database/tx.js';

export const ROLES = ['viewer', 'operator', 'admin'] as const;

/** Each may do what those before it may. */
export type Role = (typeof ROLES)[number];

export interface TokenRow {
  readonly id: number;
  readonly org: string;
  readonly name: string;
  readonly role: Role;
  readonly created_at: number;
  readonly revoked_at: number | null;
}

const COLUMNS = 'id, org, name, role, created_at, revoked_at';

export async function insertToken(tx: Tx, token: { org: string; name: string; role: Role; hash: Buffer }): Promise<number> {
  const row = await first<{ id: number }>(
    tx,
    `insert into tokens (org, name, role, hash, created_at) values (?, ?, ?, ?, ${tx.dialect.now}) returning id`,
    [token.org, token.name, token.role, token.hash],
  );
  if (row === null) throw new Error('the token was not stored');
  return row.id;
}

/** By the hash of the secret text: the comparison is an index look-up, and tells nobody how much of a guess was right. */
export async function findActiveToken(tx: Tx, hash: Buffer): Promise<TokenRow | null> {
  return first(tx, `select ${COLUMNS} from tokens where hash = ? and revoked_at is null`, [hash]);
}

export async function hasActiveAdminToken(tx: Tx): Promise<boolean> {
  return (await first(tx, "select 1 as found from tokens where role = 'admin' and revoked_at is null limit 1")) !== null;
}

export async function readToken(tx: Tx, org: string, id: number): Promise<TokenRow | null> {
  return first(tx, `select ${COLUMNS} from tokens where org = ? and id = ?`, [org, id]);
}

/** False: it does not exist, or was revoked before. */
export async function revokeToken(tx: Tx, org: string, id: number): Promise<boolean> {
  return (
    (await tx.run(`update tokens set revoked_at = ${tx.dialect.now} where org = ? and id = ? and revoked_at is null`, [org, id])) === 1
  );
}
