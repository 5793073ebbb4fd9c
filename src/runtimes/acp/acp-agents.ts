import type { TurnInput } from '../../plugin/index.js';
import { AcpAgent } from './acp-agent.js';
import type { AcpOptions } from './acp-options.js';

/** The agents that are kept, one for each conversation that was worked on lately. */
export class AcpAgents {
  private readonly kept = new Map<string, { readonly agent: AcpAgent; readonly timer: NodeJS.Timeout | null }>();

  constructor(private readonly options: AcpOptions) {}

  /** The agent for a turn: the one that is kept, where it knows all of its conversation, else one that is started. */
  async take(input: TurnInput): Promise<AcpAgent> {
    const { id } = input.conversation;
    const kept = this.kept.get(id)?.agent;
    this.keep(id, kept, null);
    if (kept !== undefined && isFit(kept, input) && (await kept.runs())) return kept;
    await kept?.end();
    const agent = await AcpAgent.start(this.options, input);
    this.keep(id, agent, null);
    return agent;
  }

  /** Its turn has ended. It is kept for a while, if it can be of use. */
  async giveBack(agent: AcpAgent): Promise<void> {
    const { id } = agent.last.conversation;
    if (!agent.isAlive || agent.session === null) return this.retire(id);
    const timer = setTimeout(() => void this.retire(id).catch(() => {}), this.options.keepAliveMs).unref();
    this.keep(id, agent, timer);
  }

  async retire(conversation: string): Promise<void> {
    const agent = this.kept.get(conversation)?.agent;
    this.keep(conversation, agent, null);
    await agent?.end();
    if (this.kept.get(conversation)?.agent === agent) this.kept.delete(conversation);
  }

  /** Those that are not at a turn. */
  conversations(): string[] {
    return [...this.kept].flatMap(([id, { timer }]) => (timer === null ? [] : [id]));
  }

  async close(): Promise<void> {
    await Promise.all([...this.kept.keys()].map((id) => this.retire(id)));
  }

  private keep(id: string, agent: AcpAgent | undefined, timer: NodeJS.Timeout | null): void {
    clearTimeout(this.kept.get(id)?.timer ?? undefined);
    if (agent !== undefined) this.kept.set(id, { agent, timer });
  }
}

/**
 * An agent that is of another session, or works elsewhere, is of no use. One that does not know what happened meanwhile is better ended
 * where another can read it up.
 */
function isFit(agent: AcpAgent, input: TurnInput): boolean {
  const { last, traits } = agent;
  if (!agent.isAlive || agent.session !== input.session || last.workspace !== input.workspace) return false;
  if (!traits?.loads && !traits?.resumes) return true;
  const isNext = input.turn.number === undefined || last.turn.number === undefined || input.turn.number === last.turn.number + 1;
  return isNext && input.mcp?.url === last.mcp?.url && input.mcp?.token === last.mcp?.token;
}
