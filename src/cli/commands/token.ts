import { type Command, Option } from 'commander';
import { ROLES } from '../../core/tokens/tokens.js';
import { withConfigOption } from '../config-option.js';
import type { Run } from '../run.js';
import type { CreateOptions, OrgOption } from '../token/tokens.js';

const tokens = () => import('../token/tokens.js');

export function addToken(root: Command, { terminal }: Run): void {
  const token = root.command('token').description('make, list and revoke tokens for the admin API');
  withOrgOption(token.command('create'))
    .description('make a token; its text stands alone on the last line, and is shown this once')
    .addOption(
      new Option('--role <role>', 'what it may do: read, act on conversations, or everything').choices(ROLES).makeOptionMandatory(),
    )
    .option('--name <name>', 'what it is for, as lists and the audit log show it')
    .action(async (options: CreateOptions) => (await tokens()).create(options, terminal));
  withOrgOption(token.command('list'))
    .description('list the tokens; their texts are not kept')
    .action(async (options: OrgOption) => (await tokens()).list(options, terminal));
  withOrgOption(token.command('revoke'))
    .description('make a token useless, at once')
    .argument('<id>', 'the id that `token list` shows')
    .action(async (id: string, options: OrgOption) => (await tokens()).revoke(id, options, terminal));
}

function withOrgOption(command: Command): Command {
  return withConfigOption(command.option('--org <org>', 'the organisation that it is for', 'default'));
}
