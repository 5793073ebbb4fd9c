import type { Command } from 'commander';
import { withConfigOption } from '../config-option.js';
import type { Run } from '../run.js';
import type { TailOptions } from '../tail/tail.js';

export function addTail(root: Command, { terminal }: Run): void {
  withConfigOption(root.command('tail'))
    .description('follow what becomes of deliveries, a line for each change, until Ctrl-C')
    .option('--conversation <id>', 'of this conversation alone')
    .option('--url <url>', 'address of the server (default: the one that the configuration describes)')
    .option('--token <token>', 'a token for the admin API (default: THROUGHLINE_ADMIN_TOKEN, else the one of the first start)')
    .action(async (options: TailOptions) => (await import('../tail/tail.js')).tail(options, terminal));
}
