import type { AgentRuntime, ApprovalDecision, TurnEvent, TurnInput } from '../../plugin/index.js';
import { agentEnvironment } from '../process/environment.js';
import { commandFault } from '../process/find-command.js';
import type { AcpAgents } from './acp-agents.js';
import type { AcpOptions } from './acp-options.js';
import type { AcpTurn } from './acp-turn.js';

interface Loaded {
  readonly agents: AcpAgents;
  readonly Turn: typeof AcpTurn;
}

/** Runs turns on agents that speak the Agent Client Protocol: a process for each conversation, kept from turn to turn. */
export class AcpRuntime implements AgentRuntime {
  private loaded: Promise<Loaded> | null = null;
  private agents: AcpAgents | null = null;
  private readonly turns = new Map<string, AcpTurn>();

  constructor(private readonly options: AcpOptions) {}

  async *startTurn(input: TurnInput, signal: AbortSignal): AsyncGenerator<TurnEvent, void, undefined> {
    signal.throwIfAborted();
    const { agents, Turn } = await this.load();
    const agent = await agents.take(input);
    try {
      yield { type: 'process', pid: agent.pid, startedAt: agent.startedAt };
      // Only now may it begin: whoever took the event above knows which group works on the turn.
      const turn = new Turn(agent, input, this.options, signal);
      this.turns.set(input.turn.id, turn);
      yield* turn.run();
    } finally {
      this.turns.delete(input.turn.id);
      await agents.giveBack(agent);
    }
  }

  async decide(turn: string, request: string, decision: ApprovalDecision): Promise<boolean> {
    return this.turns.get(turn)?.decide(request, decision) ?? false;
  }

  async check(): Promise<string | null> {
    const { command, cwd } = this.options;
    return commandFault(command[0] ?? '', agentEnvironment(this.options)['PATH'], cwd ?? process.cwd());
  }

  async retire(conversation: string): Promise<void> {
    await (await this.loaded)?.agents.retire(conversation);
  }

  kept(): readonly string[] {
    return this.agents?.conversations() ?? [];
  }

  async close(): Promise<void> {
    await (await this.loaded)?.agents.close();
  }

  /** The protocol's SDK makes hundreds of schemas when it is loaded: nobody is to wait for that who has no such agent. */
  private load(): Promise<Loaded> {
    this.loaded ??= Promise.all([import('./acp-agents.js'), import('./acp-turn.js')]).then(([{ AcpAgents: Agents }, { AcpTurn: Turn }]) => {
      this.agents = new Agents(this.options);
      return { agents: this.agents, Turn };
    });
    return this.loaded;
  }
}
