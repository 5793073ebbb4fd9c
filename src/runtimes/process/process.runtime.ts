import { type AgentRuntime, type TurnEvent, TurnFailed, type TurnInput } from '../../plugin/index.js';
import { agentOutput } from './agent-output.js';
import { agentEnvironment } from './environment.js';
import { commandFault } from './find-command.js';
import type { ProcessOptions } from './process-options.js';
import { runProcess } from './run-process.js';
import { turnDocument } from './turn-document.js';

/** Runs each turn as one process, whose group is gone when the turn ends, however it ends. */
export class ProcessRuntime implements AgentRuntime {
  constructor(private readonly options: ProcessOptions) {}

  async *startTurn(input: TurnInput, signal: AbortSignal): AsyncGenerator<TurnEvent, void, undefined> {
    const work = { stdin: turnDocument(input), output: agentOutput(this.options.output) };
    const { fault, errorText } = yield* runProcess(this.options, input, work, signal);
    if (fault !== null) throw new TurnFailed(fault, errorText);
  }

  async check(): Promise<string | null> {
    const { command, cwd } = this.options;
    return commandFault(command[0] ?? '', agentEnvironment(this.options)['PATH'], cwd ?? process.cwd());
  }
}
