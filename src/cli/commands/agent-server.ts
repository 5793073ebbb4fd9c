import type { Command } from 'commander';
import type { AgentServerArguments } from '../agent-server/agent-server.js';
import type { Run } from '../run.js';

export function addAgentServer(root: Command, run: Run): void {
  root
    .command('agent-server')
    .description('host agents of this machine behind the agent server API, until Ctrl-C')
    .option('--port <n>', 'where it listens; 0: any that is free', '8788')
    .option('--host <address>', 'another one than this machine alone needs a key', '127.0.0.1')
    .option('--dir <folder>', 'where conversations and workspaces are kept', './data/agent-server')
    .action(async (options: AgentServerArguments) => (await import('../agent-server/agent-server.js')).agentServer(options, run.terminal));
}
