import type { AgentRuntime, TurnEvent, TurnInput, TurnMessage } from '../plugin/index.js';
import { TurnFailed } from '../plugin/index.js';
import { action, type ConversationEvent, message, stateUpdate, textOf } from './events.js';
import type { Marks, Origin } from './standing.js';

/** What of a turn the conversation keeps. */
export interface TurnKeeper {
  say(event: ConversationEvent): Promise<void>;
  mark(change: Partial<Marks>): Promise<void>;
  /** It waits for a person's word, and goes on. */
  ask(): Promise<void>;
  answer(): Promise<void>;
}

/** `count`: so many messages are done. */
export type TurnOutcome =
  | { readonly is: 'done'; readonly count: number }
  | { readonly is: 'failed'; readonly why: string }
  | { readonly is: 'stopped' };

/** One turn of a hosted agent: what it says becomes events. */
export class HostedTurn {
  private readonly messages: ConversationEvent[];
  private readonly id: string;
  /** What is being said, until something else is done. */
  private words = '';
  private hasSpoken = false;
  private spentUsd = 0;
  /** What the agent waits for. */
  private asked: string[] = [];
  private isOver = false;

  constructor(
    private readonly origin: Origin,
    private readonly begun: Marks & { readonly messages: readonly ConversationEvent[] },
    private readonly runtime: AgentRuntime,
    private readonly keeper: TurnKeeper,
  ) {
    this.messages = [...begun.messages];
    this.id = `${origin.id}.${begun.turns}`;
  }

  async run(signal: AbortSignal): Promise<TurnOutcome> {
    try {
      for await (const event of this.runtime.startTurn(this.input(), signal)) await this.keep(event);
      signal.throwIfAborted();
      await this.flush();
      return { is: 'done', count: this.messages.length };
    } catch (error) {
      await this.flush();
      if (signal.aborted) return { is: 'stopped' };
      if (!(error instanceof Error)) throw error;
      return {
        is: 'failed',
        why: error instanceof TurnFailed && error.detail !== null ? `${error.message}: ${error.detail}` : error.message,
      };
    } finally {
      this.isOver = true;
    }
  }

  /** Gives the turn one more message, where its agent takes some. What it does not take is worked on behind it. */
  async take(said: ConversationEvent): Promise<void> {
    if (this.isOver || this.runtime.append === undefined) return;
    const isTaken = await this.runtime.append(this.id, [this.messageOf(said, this.messages.length)]).catch(() => false);
    if (isTaken) this.messages.push(said);
  }

  /** False: it asks nothing. */
  async confirm(isAccepted: boolean): Promise<boolean> {
    const request = this.asked.shift();
    if (request === undefined || this.runtime.decide === undefined) return false;
    const isHeard = await this.runtime.decide(this.id, request, isAccepted ? 'approved' : 'denied');
    if (this.asked.length === 0) await this.keeper.answer();
    return isHeard;
  }

  private async keep(event: TurnEvent): Promise<void> {
    if (event.type === 'text') {
      this.words += event.text;
      return;
    }
    if (event.type === 'result') return this.conclude(event.text);
    await this.flush();
    switch (event.type) {
      case 'tool':
        return this.keeper.say(action(event.name, event.input));
      case 'status':
        return this.keeper.say(stateUpdate('status', event.text));
      case 'session':
        return this.keeper.mark({ session: event.id });
      case 'cost':
        this.spentUsd += event.usd;
        return this.keeper.mark({ costUsd: this.begun.costUsd + this.spentUsd });
      case 'process':
        return this.keeper.mark({ process: { pid: event.pid, startedAt: event.startedAt } });
      case 'approval':
        return this.ask(event);
    }
  }

  private async ask({ id, title, body }: { id: string; title: string; body: string }): Promise<void> {
    await this.keeper.say(action(title, body, { request_id: id, awaits_confirmation: true }));
    if (this.runtime.decide === undefined) return;
    this.asked.push(id);
    if (this.asked.length === 1) await this.keeper.ask();
  }

  /** The final text, where it was not said already. */
  private async conclude(text: string): Promise<void> {
    await this.flush();
    if (!this.hasSpoken && text !== '') await this.keeper.say(message('agent', text));
    this.hasSpoken = true;
  }

  private async flush(): Promise<void> {
    // Runtimes set messages apart that would else run into each other; here each is one.
    const said = this.words.replace(/^\n+/, '');
    this.words = '';
    if (said === '') return;
    this.hasSpoken = true;
    await this.keeper.say(message('agent', said));
  }

  private input(): TurnInput {
    const { id, title, working_dir } = this.origin;
    return {
      conversation: { id, org: 'default', title, subject: { namespace: 'agent-server:conversation', key: id } },
      turn: {
        ...{ id: this.id, attempt: 1, resumed: false, trust: 'trusted', number: this.begun.turns },
        messages: this.messages.map((each, index) => this.messageOf(each, index)),
      },
      ...{ session: this.begun.session, workspace: working_dir, mcp: null },
    };
  }

  private messageOf(said: ConversationEvent, index: number): TurnMessage {
    return {
      ...{ delivery: said.id, sequence: this.begun.done + index + 1, source: 'agent-server', event: 'message', author: null },
      ...{ text: textOf(said) ?? '', attachments: [], received_at: said.timestamp, sent_at: new Date().toISOString() },
    };
  }
}
