import { type AgentRuntime, type TurnEvent, TurnFailed, type TurnInput, type TurnMessage } from '../../plugin/index.js';
import { BoundedOutput } from '../process/agent-output.js';
import { agentEnvironment } from '../process/environment.js';
import { commandFault } from '../process/find-command.js';
import { runProcess } from '../process/run-process.js';
import { claudeCode } from './claude-code.js';
import { codex } from './codex.js';
import { FrameOutput } from './frame-output.js';
import { gemini } from './gemini.js';
import type { Invocation, Preset, PresetName, PresetOptions, PresetTurn } from './preset.js';

const PRESETS: Readonly<Record<PresetName, Preset>> = { 'claude-code': claudeCode, codex, gemini };

/** Runs each turn as one start of an agent's own command line, which keeps its sessions itself. */
export class PresetRuntime implements AgentRuntime {
  protected readonly running = new Map<string, PresetTurn>();

  constructor(private readonly options: PresetOptions) {}

  async *startTurn(input: TurnInput, signal: AbortSignal): AsyncGenerator<TurnEvent, void, undefined> {
    const turn = PRESETS[this.options.preset](input, this.options);
    this.running.set(input.turn.id, turn);
    try {
      let invocation: Invocation | null = turn.first();
      while (invocation !== null) {
        yield* invocation.events;
        invocation = yield* this.run(turn, invocation, input, signal);
      }
    } finally {
      this.running.delete(input.turn.id);
    }
  }

  async check(): Promise<string | null> {
    const { command, cwd } = this.options;
    return commandFault(command[0] ?? '', agentEnvironment(this.options)['PATH'], cwd ?? process.cwd());
  }

  /** Null: the turn is done; else how it is to be tried once more. */
  private async *run(
    turn: PresetTurn,
    { args, stdin }: Invocation,
    input: TurnInput,
    signal: AbortSignal,
  ): AsyncGenerator<TurnEvent, Invocation | null, undefined> {
    const reader = turn.reader();
    const output = new FrameOutput(reader);
    const options = { ...this.options, command: [...this.options.command, ...args] };
    const { fault, errorText } = yield* runProcess(options, input, { stdin, output: new BoundedOutput(output) }, signal);
    if (reader.isDone && reader.fault === null) return null;
    const complaint = [reader.fault, output.complaints, errorText].join('\n');
    const another = output.hasWorked ? null : turn.next(complaint);
    if (another !== null) return another;
    throw new TurnFailed(reader.fault ?? fault ?? 'the agent ended without saying that it is done', errorText);
  }
}

/** One whose program takes messages while it works. */
export class SteerablePresetRuntime extends PresetRuntime {
  async append(turn: string, messages: readonly TurnMessage[]): Promise<boolean> {
    return (await this.running.get(turn)?.take?.(messages)) ?? false;
  }
}

/** The runtime of a preset. */
export function presetRuntime(options: PresetOptions): AgentRuntime {
  return options.preset === 'claude-code' ? new SteerablePresetRuntime(options) : new PresetRuntime(options);
}
