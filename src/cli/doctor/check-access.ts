import { existsSync } from 'node:fs';
import { SHORTEST_TOKEN } from '../../admin/access/secret.js';
import { hasActiveAdminToken } from '../../core/tokens/tokens.js';
import type { Database } from '../../database/database.js';
import { adminTokenFile } from '../configuration.js';
import type { Terminal } from '../terminal.js';
import { type Finding, fault, ok } from './finding.js';

const KEY_BYTES = 32;

/** Who may use the admin API, and what stored secrets are encrypted with. `database`: null where it has no tables yet. */
export async function checkAccess({ env }: Terminal, dataDir: string, database: Database | null): Promise<Finding[]> {
  return [await checkAdminToken(env.THROUGHLINE_ADMIN_TOKEN, dataDir, database), checkKey(env.THROUGHLINE_ENCRYPTION_KEY)];
}

async function checkAdminToken(token: string | undefined, dataDir: string, database: Database | null): Promise<Finding> {
  if (token) {
    if (token.length >= SHORTEST_TOKEN && !/\s/.test(token)) return ok('Admin token', 'THROUGHLINE_ADMIN_TOKEN is set');
    const fix = 'Take another, for example: openssl rand -hex 32';
    return fault('Admin token', `THROUGHLINE_ADMIN_TOKEN is shorter than ${SHORTEST_TOKEN} characters, or has spaces`, fix);
  }
  const file = adminTokenFile(dataDir);
  if (database === null || !(await database.transaction(hasActiveAdminToken)))
    return ok('Admin token', `none yet; the next start writes one to ${file}`);
  return ok('Admin token', existsSync(file) ? `in ${file}` : 'stored');
}

function checkKey(key: string | undefined): Finding {
  if (!key) return ok('Encryption key', 'not set; made in the data folder when it is first needed');
  const bytes = Buffer.from(key, 'base64');
  const isBase64 = bytes.toString('base64').replace(/=+$/, '') === key.trim().replace(/=+$/, '');
  if (isBase64 && bytes.length === KEY_BYTES) return ok('Encryption key', 'THROUGHLINE_ENCRYPTION_KEY is set');
  return fault(
    'Encryption key',
    `THROUGHLINE_ENCRYPTION_KEY is not ${KEY_BYTES} bytes in base64`,
    'Make one with: openssl rand -base64 32',
  );
}
