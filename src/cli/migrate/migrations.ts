import { migrateDown, migrateUp, schemaStatus } from '../../database/migrate.js';
import type { ConfigOption } from '../config-option.js';
import { configurationOf } from '../configuration.js';
import { FAILED } from '../exit-code.js';
import { shownUrl } from '../open-store.js';
import type { Run } from '../run.js';
import { isMissing, withStore } from '../store.js';
import { say, type Terminal } from '../terminal.js';
import { UsageFault } from '../usage-fault.js';

export interface DownOption extends ConfigOption {
  readonly yes?: boolean;
}

export async function up(options: ConfigOption, terminal: Terminal): Promise<void> {
  await withStore(terminal, options, async (database) => {
    const applied = await migrateUp(database);
    for (const name of applied) say(terminal, `applied  ${name}`);
    if (applied.length === 0) say(terminal, 'the schema is up to date; nothing to do');
  });
}

export async function down(options: DownOption, terminal: Terminal): Promise<void> {
  if (!options.yes) {
    throw new UsageFault('`migrate down` takes the newest migration back and deletes all that it stored; make a backup, then add --yes');
  }
  await withStore(terminal, { ...options, alone: true }, async (database) => {
    const name = await migrateDown(database);
    say(terminal, name === null ? 'the database has no migration; nothing to do' : `reverted ${name}`);
  });
}

export async function status(options: ConfigOption, run: Run): Promise<void> {
  const { terminal } = run;
  const { url } = (await configurationOf(terminal, options)).config.database;
  if (isMissing(url)) return say(terminal, `${shownUrl(url)} does not exist yet; \`throughline migrate up\` or the first start makes it`);
  await withStore(terminal, options, async (database) => {
    const { applied, pending, unknown } = await schemaStatus(database);
    for (const name of applied) say(terminal, `applied  ${name}`);
    for (const name of pending) say(terminal, `pending  ${name}`);
    for (const name of unknown) say(terminal, `unknown  ${name}: a newer version of Throughline made it`);
    if (unknown.length > 0) run.exitCode = FAILED;
  });
}
