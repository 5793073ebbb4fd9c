import type { TurnEvent, TurnInput } from '../../plugin/index.js';
import type { AgentOutput } from './agent-output.js';
import { AgentProcess } from './agent-process.js';
import type { ProcessOptions } from './process-options.js';
import { TurnLimits } from './turn-limits.js';

export interface ProcessEnd {
  /** The limit that it met, its exit code or its signal; null: it ended well. */
  readonly fault: string | null;
  /** The last 4 KB of stderr, or null. */
  readonly errorText: string | null;
}

/** Input that stays open. */
export interface Attachable {
  attach(agent: Pick<AgentProcess, 'write' | 'closeInput'>): void;
}

/** Runs one program to its end. Its group is gone when this ends, however it ends. Throws the signal's reason when that aborts. */
export async function* runProcess(
  options: Omit<ProcessOptions, 'output'>,
  input: TurnInput,
  { stdin, output }: { readonly stdin: string | Attachable; readonly output: AgentOutput },
  signal: AbortSignal,
): AsyncGenerator<TurnEvent, ProcessEnd, undefined> {
  signal.throwIfAborted();
  const { agent, startedAt } = await AgentProcess.start(options, input);
  const limits = new TurnLimits(agent, options, signal);
  try {
    yield { type: 'process', pid: agent.pid, startedAt };
    // Only now may it begin: whoever took the event above knows which group works on the turn.
    if (typeof stdin === 'string') agent.give(stdin);
    else stdin.attach(agent);
    for await (const chunk of agent.chunks(limits.onIdle)) yield* output.push(chunk);
    yield* output.end();
    await agent.finished(limits.onIdle);
    signal.throwIfAborted();
    const end = limits.exceeded ?? agent.exit ?? 'no exit code';
    return { fault: end === 'exit code 0' ? null : end, errorText: agent.errorText() };
  } finally {
    limits.lift();
    await agent.dispose();
  }
}
