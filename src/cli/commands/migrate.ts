import { type Command, Option } from 'commander';
import type { Database } from '../../database/database.js';
import { migrateDown, migrateUp, schemaStatus } from '../../database/migrate.js';
import { type ConfigOption, configurationOf, withConfigOption } from '../configuration.js';
import { FAILED } from '../exit-code.js';
import type { Run } from '../run.js';
import { isMissing, shownUrl, withStore } from '../store.js';
import { say, type Terminal } from '../terminal.js';
import { UsageFault } from '../usage-fault.js';

interface DownOption extends ConfigOption {
  readonly yes?: boolean;
}

export function addMigrate(root: Command, run: Run): void {
  const { terminal } = run;
  const migrate = root.command('migrate').description('change the database schema, or tell its state');
  withConfigOption(migrate.command('up'))
    .description('bring the schema up to this version; `start` does the same')
    .action((options: ConfigOption) => withStore(terminal, options, (database) => up(database, terminal)));
  withConfigOption(migrate.command('down'))
    .description('take the newest migration back, with all that it stored')
    .addOption(new Option('--yes', 'I know that the data goes with it'))
    .action((options: DownOption) => down(options, terminal));
  withConfigOption(migrate.command('status'))
    .description('tell which migrations the database has')
    .action((options: ConfigOption) => status(options, run));
}

async function up(database: Database, terminal: Terminal): Promise<void> {
  const applied = await migrateUp(database);
  for (const name of applied) say(terminal, `applied  ${name}`);
  if (applied.length === 0) say(terminal, 'the schema is up to date; nothing to do');
}

async function down(options: DownOption, terminal: Terminal): Promise<void> {
  if (!options.yes) {
    throw new UsageFault('`migrate down` takes the newest migration back and deletes all that it stored; make a backup, then add --yes');
  }
  await withStore(terminal, { ...options, alone: true }, async (database) => {
    const name = await migrateDown(database);
    say(terminal, name === null ? 'the database has no migration; nothing to do' : `reverted ${name}`);
  });
}

async function status(options: ConfigOption, run: Run): Promise<void> {
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
