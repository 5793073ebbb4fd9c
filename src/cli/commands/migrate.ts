import { type Command, Option } from 'commander';
import { type ConfigOption, withConfigOption } from '../config-option.js';
import type { DownOption } from '../migrate/migrations.js';
import type { Run } from '../run.js';

const migrations = () => import('../migrate/migrations.js');

export function addMigrate(root: Command, run: Run): void {
  const { terminal } = run;
  const migrate = root.command('migrate').description('change the database schema, or tell its state');
  withConfigOption(migrate.command('up'))
    .description('bring the schema up to this version; `start` does the same')
    .action(async (options: ConfigOption) => (await migrations()).up(options, terminal));
  withConfigOption(migrate.command('down'))
    .description('take the newest migration back, with all that it stored')
    .addOption(new Option('--yes', 'I know that the data goes with it'))
    .action(async (options: DownOption) => (await migrations()).down(options, terminal));
  withConfigOption(migrate.command('status'))
    .description('tell which migrations the database has')
    .action(async (options: ConfigOption) => (await migrations()).status(options, run));
}
