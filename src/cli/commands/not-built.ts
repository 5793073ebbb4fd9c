import type { Command } from 'commander';
import { UsageFault } from '../usage-fault.js';

/** Commands that are named in advance: whoever calls them learns that it is not a misspelling. */
export function addNotBuilt(root: Command): void {
  const plugin = root.command('plugin').description('not built yet in this version');
  refuse(plugin.command('new'), 'plugin new');
}

function refuse(command: Command, name: string): void {
  command
    .description('not built yet in this version')
    .argument('[arguments...]')
    .allowUnknownOption()
    .action(() => {
      throw new UsageFault(`\`${name}\` is not built yet in this version`);
    });
}
