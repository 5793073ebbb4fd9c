import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Run } from '../run.js';

export function addInit(root: Command, { terminal }: Run): void {
  root
    .command('init')
    .description('write a commented configuration, .env.example, .gitignore and .npmrc; overwrites nothing')
    .argument('[dir]', 'folder to write to; made when it is missing', '.')
    .action(async (dir: string) => (await import('../init/init.js')).init(resolve(terminal.cwd, dir), terminal));
}
