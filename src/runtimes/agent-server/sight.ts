import { NotFound, ProviderFault } from '../../plugin/index.js';
import type { AgentServerClient } from './agent-server-client.js';
import type { AgentServerEvent, ConversationInfo } from './answers.js';
import { ConversationGone } from './conversation-gone.js';

export interface SightOptions {
  readonly silenceMs: number;
  readonly wait: { readonly limitMs: number };
}

interface Seen {
  readonly now: ConversationInfo;
  /** What had happened by then, at least. */
  readonly news: readonly AgentServerEvent[];
}

/** A conversation as its server shows it, over the times in which it shows nothing: its agent may go on meanwhile. */
export class Sight {
  private silentSince: number | null = null;

  constructor(
    private readonly client: AgentServerClient,
    private readonly id: string,
    private readonly options: SightOptions,
  ) {}

  /** Null: nobody can say now. Throws `ConversationGone`, or what went wrong, when that has lasted too long. */
  async look(signal: AbortSignal, newsOf: () => Promise<readonly AgentServerEvent[]>): Promise<Seen | null> {
    try {
      const now = await this.client.conversation(this.id, signal);
      const news = await newsOf();
      this.silentSince = null;
      return { now, news };
    } catch (error) {
      signal.throwIfAborted();
      const isGone = error instanceof NotFound;
      if (!isGone && !(error instanceof ProviderFault && error.kind === 'transient')) throw error;
      this.silentSince ??= performance.now();
      if (performance.now() - this.silentSince < (isGone ? this.options.wait.limitMs : this.options.silenceMs)) return null;
      throw isGone ? new ConversationGone(`the agent server knows conversation ${this.id} no more`, { cause: error }) : error;
    }
  }
}
