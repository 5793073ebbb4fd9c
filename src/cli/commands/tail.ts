import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { type ConfigOption, withConfigOption } from '../configuration.js';
import type { Run } from '../run.js';
import { adminApiOf } from '../tail/admin-api.js';
import { follow } from '../tail/follow.js';
import { UsageFault } from '../usage-fault.js';

interface TailOptions extends ConfigOption {
  readonly conversation?: string;
  readonly url?: string;
  readonly token?: string;
}

const POLL_MS = 1000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function addTail(root: Command, { terminal }: Run): void {
  withConfigOption(root.command('tail'))
    .description('follow what becomes of deliveries, a line for each change, until Ctrl-C')
    .option('--conversation <id>', 'of this conversation alone')
    .option('--url <url>', 'address of the server (default: the one that the configuration describes)')
    .option('--token <token>', 'a token for the admin API (default: THROUGHLINE_ADMIN_TOKEN, else the one of the first start)')
    .action(async (options: TailOptions) => {
      const { conversation } = options;
      if (conversation !== undefined && !UUID.test(conversation))
        throw new UsageFault(`--conversation: \`${conversation}\` is no id of a conversation`);
      const signal = terminal.interrupted();
      const api = await adminApiOf(options, terminal, signal);
      await follow(api, conversation ?? null, {
        terminal,
        signal,
        wait: () => pause(POLL_MS, undefined, { signal }).catch(() => undefined),
      });
    });
}
