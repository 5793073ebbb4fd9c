import type { AgentRuntime, ApprovalDecision, TurnEvent, TurnInput } from '../../plugin/index.js';
import { agentEnvironment } from '../process/environment.js';
import { commandFault } from '../process/find-command.js';
import { AcpAgents } from './acp-agents.js';
import type { AcpOptions } from './acp-options.js';
import { AcpTurn } from './acp-turn.js';

/** Runs turns on agents that speak the Agent Client Protocol: a process for each conversation, kept from turn to turn. */
export class AcpRuntime implements AgentRuntime {
  private readonly agents: AcpAgents;
  private readonly turns = new Map<string, AcpTurn>();

  constructor(private readonly options: AcpOptions) {
    this.agents = new AcpAgents(options);
  }

  async *startTurn(input: TurnInput, signal: AbortSignal): AsyncGenerator<TurnEvent, void, undefined> {
    signal.throwIfAborted();
    const agent = await this.agents.take(input);
    try {
      yield { type: 'process', pid: agent.pid, startedAt: agent.startedAt };
      // Only now may it begin: whoever took the event above knows which group works on the turn.
      const turn = new AcpTurn(agent, input, this.options, signal);
      this.turns.set(input.turn.id, turn);
      yield* turn.run();
    } finally {
      this.turns.delete(input.turn.id);
      await this.agents.giveBack(agent);
    }
  }

  async decide(turn: string, request: string, decision: ApprovalDecision): Promise<boolean> {
    return this.turns.get(turn)?.decide(request, decision) ?? false;
  }

  async check(): Promise<string | null> {
    const { command, cwd } = this.options;
    return commandFault(command[0] ?? '', agentEnvironment(this.options)['PATH'], cwd ?? process.cwd());
  }

  retire(conversation: string): Promise<void> {
    return this.agents.retire(conversation);
  }

  close(): Promise<void> {
    return this.agents.close();
  }
}
