import { Command } from 'commander';
import { addAgentServer } from './commands/agent-server.js';
import { addDoctor } from './commands/doctor.js';
import { addInit } from './commands/init.js';
import { addMigrate } from './commands/migrate.js';
import { addNotBuilt } from './commands/not-built.js';
import { addSend } from './commands/send.js';
import { addStart } from './commands/start.js';
import { addTail } from './commands/tail.js';
import { addToken } from './commands/token.js';
import { exitCodeOf, OK } from './exit-code.js';
import type { Run } from './run.js';
import type { Terminal } from './terminal.js';
import { version } from './version.js';

/** Runs the command that the arguments name, and resolves to its exit code: 0 ok, 1 failed, 2 wrong usage or configuration. */
export async function program(args: readonly string[], terminal: Terminal): Promise<number> {
  const run: Run = { terminal, exitCode: OK };
  try {
    await commandsFor(run).parseAsync(args, { from: 'user' });
    return run.exitCode;
  } catch (error) {
    return exitCodeOf(error, terminal);
  }
}

function commandsFor(run: Run): Command {
  const { out, err } = run.terminal;
  const root = new Command('throughline')
    .description('Routes authenticated external events into durable conversations of AI agents.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print what a command does')
    .helpCommand(false)
    .showHelpAfterError('(throughline <command> --help says more)')
    .configureOutput({
      writeOut: (text) => out.write(text),
      writeErr: (text) => err.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'throughline: ')),
    })
    .exitOverride();
  for (const add of [addInit, addStart, addMigrate, addDoctor, addSend, addTail, addToken, addAgentServer, addNotBuilt]) add(root, run);
  return root;
}
