import type { Command } from 'commander';
import { type ConfigOption, withConfigOption } from '../config-option.js';
import type { Run } from '../run.js';

export function addStart(root: Command, run: Run): void {
  withConfigOption(root.command('start'))
    .description('migrate, listen for events, recover what an earlier process left, and work')
    .action(async ({ config }: ConfigOption) => {
      const { cwd, env } = run.terminal;
      // The server is loaded for this command alone: the others answer sooner without it.
      const { runServer } = await import('../../run-server.js');
      run.exitCode = await runServer({ cwd, env, ...(config === undefined ? {} : { file: config }) });
    });
}
