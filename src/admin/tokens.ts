import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hasActiveAdminToken, insertToken, type Role } from '../core/tokens/tokens.js';
import type { Database } from '../database/database.js';
import type { Tx } from '../database/tx.js';
import type { AdminAccess } from './access/admin-access.js';
import { homeOrg } from './access/home-org.js';
import { newSecret, secretHash } from './access/secret.js';

export interface TokenRequest {
  readonly org: string;
  readonly name: string;
  readonly role: Role;
}

/** Makes a token. `token` is the only time that its text is seen. */
export async function createToken(tx: Tx, request: TokenRequest): Promise<{ readonly id: number; readonly token: string }> {
  const token = newSecret();
  return { id: await insertToken(tx, { ...request, hash: secretHash(token) }), token };
}

/**
 * Makes an admin's token where there is none yet, and puts it where only the owner of the data folder can read it.
 * The path of the file, or null when nothing was to be made.
 */
export async function ensureAdminToken(
  database: Database,
  options: { readonly dataDir: string; readonly access: AdminAccess; readonly orgs: readonly string[] },
): Promise<string | null> {
  if (options.access.isConfigured) return null;
  if (await database.transaction(hasActiveAdminToken)) return null;
  const token = newSecret();
  const file = path.join(options.dataDir, 'admin-token');
  // The file comes first: a stop in between leaves a text that is worth nothing, never a token that nobody knows.
  await writePrivately(file, `${token}\n`);
  const org = homeOrg(options.orgs);
  await database.transaction((tx) => insertToken(tx, { org, name: 'first start', role: 'admin', hash: secretHash(token) }));
  return file;
}

async function writePrivately(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, text, { mode: 0o600, flag: 'w' });
  await rename(draft, file);
}
