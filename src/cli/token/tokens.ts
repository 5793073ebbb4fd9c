import { createToken } from '../../admin/tokens.js';
import type { Config } from '../../config/config.js';
import { didYouMean } from '../../config/near.js';
import { insertAudit } from '../../core/audit/audits.js';
import { listTokens, type TokenPosition } from '../../core/tokens/list-tokens.js';
import { type Role, revokeToken, type TokenRow } from '../../core/tokens/tokens.js';
import type { Database } from '../../database/database.js';
import { migrateUp, schemaStatus } from '../../database/migrate.js';
import { columns } from '../columns.js';
import type { ConfigOption } from '../config-option.js';
import { withStore } from '../store.js';
import { say, type Terminal } from '../terminal.js';
import { UsageFault } from '../usage-fault.js';

export interface OrgOption extends ConfigOption {
  readonly org: string;
}

export interface CreateOptions extends OrgOption {
  readonly role: Role;
  readonly name?: string;
}

const PAGE = 200;
const ACTOR = 'cli';

export async function create(options: CreateOptions, terminal: Terminal): Promise<void> {
  const { org, role } = options;
  const name = options.name ?? `made by ${terminal.env.USER ?? 'hand'}`;
  if (name.trim() === '' || name.length > 100) throw new UsageFault('--name must have 1 to 100 characters');
  await withTokens(terminal, options, async (database) => {
    const { id, token } = await database.transaction(async (tx) => {
      const made = await createToken(tx, { org, role, name });
      await insertAudit(tx, { org, actor: ACTOR, action: 'token.create', target: String(made.id), detail: JSON.stringify({ role, name }) });
      return made;
    });
    say(terminal, `Token ${id} (${name}) with the role ${role} in the organisation ${org}. Send it as \`Authorization: Bearer <token>\`.`);
    say(terminal, 'It is shown this once: only its hash is kept.');
    say(terminal, token);
  });
}

export async function list(options: OrgOption, terminal: Terminal): Promise<void> {
  await withTokens(terminal, options, async (database) => {
    const rows: TokenRow[] = [];
    let after: TokenPosition | null = null;
    do {
      const slice: { after: TokenPosition | null; limit: number } = { after, limit: PAGE };
      const found = await database.transaction((tx) => listTokens(tx, options.org, slice));
      rows.push(...found.rows);
      after = found.next;
    } while (after !== null);
    if (rows.length === 0) return say(terminal, 'there are no tokens; `throughline token create --role admin` makes one');
    for (const line of columns([['id', 'role', 'created', 'state', 'name'], ...rows.map(cellsOf)])) say(terminal, line);
  });
}

function cellsOf({ id, role, created_at, revoked_at, name }: TokenRow): string[] {
  return [String(id), role, day(created_at), revoked_at === null ? 'active' : `revoked ${day(revoked_at)}`, name];
}

function day(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

export async function revoke(id: string, options: OrgOption, terminal: Terminal): Promise<void> {
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new UsageFault(`${id} is no id of a token; \`throughline token list\` shows the ids`);
  const { org } = options;
  await withTokens(terminal, options, async (database) => {
    const revoked = await database.transaction(async (tx) => {
      const done = await revokeToken(tx, org, Number(id));
      if (done) await insertAudit(tx, { org, actor: ACTOR, action: 'token.revoke', target: id, detail: '{}' });
      return done;
    });
    if (!revoked) throw new Error(`there is no active token ${id} in the organisation ${org}; \`throughline token list\` shows them`);
    say(terminal, `token ${id} is revoked`);
  });
}

async function withTokens(terminal: Terminal, options: OrgOption, work: (database: Database) => Promise<void>): Promise<void> {
  await withStore(terminal, options, async (database, { config, file }) => {
    checkOrg(options.org, config, file);
    await prepareSchema(database);
    await work(database);
  });
}

function checkOrg(org: string, { orgs }: Config, file: string | null): void {
  if (orgs.includes(org)) return;
  throw new UsageFault(
    `--org: there is no organisation \`${org}\` in ${file ?? 'the configuration'} (orgs: ${orgs.join(', ')})${didYouMean(org, orgs)}`,
  );
}

/** A new database is made ready; one that an older version made is not changed behind the back of its server. */
async function prepareSchema(database: Database): Promise<void> {
  const { applied, pending } = await schemaStatus(database);
  if (applied.length > 0 && pending.length > 0)
    throw new Error('the schema is older than this version; run `throughline migrate up` first');
  await migrateUp(database);
}
