import { type TurnEvent, TurnFailed, type TurnMessage } from '../../plugin/index.js';
import type { AgentServerClient, PostedMessage } from './agent-server-client.js';
import type { AgentServerPlace } from './agent-servers.js';
import { type AgentServerEvent, type ConversationInfo, textFrom } from './answers.js';
import { Nudges } from './nudges.js';
import { postOnce } from './post-once.js';

export interface FollowOptions {
  readonly timeoutMs: number;
  readonly pollMs: number;
  readonly beginMs: number;
}

interface Before {
  /** What the conversation had cost. */
  readonly costUsd: number;
  /** Messages as they are posted. */
  readonly worded: (messages: readonly TurnMessage[]) => readonly PostedMessage[];
}

/** The turn of a conversation at an agent server: what happens after its messages, until the agent comes to rest. */
export class Followed {
  /** The turn's messages. */
  private readonly own = new Set<string>();
  /** The newest event that was read; nothing before it is read again. */
  private anchor = '';
  private readonly nudges: Nudges;
  private last = '';
  private asked: string | null = null;
  /** What the agent does, since a person was last asked. */
  private readonly actions: AgentServerEvent[] = [];
  private isOver = false;
  private hasSpoken = false;

  constructor(
    private readonly client: AgentServerClient,
    place: AgentServerPlace,
    private readonly id: string,
    private readonly options: FollowOptions,
    private readonly before: Before,
  ) {
    this.nudges = new Nudges(place, id);
  }

  /** This message is the conversation's now. */
  given(event: string): void {
    this.own.add(event);
    this.last = event;
    if (this.anchor === '') this.anchor = event;
  }

  /** Ends when the agent has come to rest; throws `TurnFailed` where that was no end. */
  async *events(signal: AbortSignal): AsyncGenerator<TurnEvent, void, undefined> {
    let limit = performance.now() + this.options.beginMs;
    let until = performance.now() + this.options.timeoutMs;
    let hasBegun = false;
    let isTold = false;
    for (; ; await this.nudges.next(this.options.pollMs, signal)) {
      const now = await this.client.conversation(this.id, signal);
      const news = await this.news(signal);
      for (const event of news) yield* this.told(event);
      this.actions.push(...news.filter(({ kind }) => kind === 'ActionEvent'));
      hasBegun ||= now.status === 'running' || news.some(({ source }) => source === 'agent');
      if (now.status === 'waiting_for_confirmation') {
        // Nobody's time but the people's.
        until = performance.now() + this.options.timeoutMs;
        if (this.asked === null) yield this.ask();
        continue;
      }
      if (this.asked !== null) this.actions.splice(0);
      this.asked = null;
      if (performance.now() > until) throw await this.tooLong();
      if (now.status === 'running') continue;
      if (!hasBegun && performance.now() < limit) continue;
      if (!hasBegun && !isTold) {
        // A start that did not work is answered as one that did.
        await this.client.run(this.id, signal);
        [isTold, limit] = [true, performance.now() + this.options.beginMs];
        continue;
      }
      this.isOver = true;
      return yield* this.conclude(now, news, hasBegun);
    }
  }

  /** More messages for the turn. False: it has come to rest. */
  async take(messages: readonly TurnMessage[]): Promise<boolean> {
    if (this.isOver) return false;
    for (const message of this.before.worded(messages)) {
      const { event } = await postOnce(this.client, this.id, message, this.last);
      this.given(event);
    }
    return true;
  }

  /** False: it asks nothing of the kind any more. */
  async decide(request: string, isAccepted: boolean, reason: string): Promise<boolean> {
    if (this.asked !== request) return false;
    await this.client.respond(this.id, isAccepted, reason);
    this.nudges.nudge();
    return true;
  }

  close(): void {
    this.isOver = true;
    this.nudges.close();
  }

  private *conclude(now: ConversationInfo, news: readonly AgentServerEvent[], hasBegun: boolean): Generator<TurnEvent, void, undefined> {
    if (now.costUsd !== null) yield { type: 'cost', usd: Math.max(0, now.costUsd - this.before.costUsd) };
    if (!hasBegun) throw new TurnFailed('the agent server took the message, and its agent did not begin');
    if (now.status === 'error' || now.status === 'stuck') throw new TurnFailed(`the agent ended as ${now.status}`, detailIn(news));
    if (now.status === 'paused') yield { type: 'status', text: 'a person has paused the agent at its server' };
  }

  private async tooLong(): Promise<TurnFailed> {
    await this.client.interrupt(this.id).catch(() => undefined);
    return new TurnFailed(`the turn took longer than ${Math.round(this.options.timeoutMs / 1000)} s`);
  }

  /** What a person is to confirm: what says that it waits for that, else the last thing that was done. */
  private ask(): TurnEvent {
    const waiting = this.actions.filter(({ fields }) => fields['awaits_confirmation'] === true);
    const actions = waiting.length > 0 ? waiting : this.actions.slice(-1);
    this.asked = actions.at(-1)?.id ?? 'confirmation';
    const names = actions.map(({ fields }) => String(fields['tool_name'] ?? 'something'));
    const body = actions.map(({ fields }) => shown(fields['action'])).join('\n\n');
    return {
      type: 'approval',
      id: this.asked,
      title: names.join(', ') || 'The agent waits for confirmation',
      body: body || 'It does not say for what.',
    };
  }

  private *told(event: AgentServerEvent): Generator<TurnEvent, void, undefined> {
    const text = textFrom(event, 'agent');
    if (text !== null && text !== '') yield { type: 'text', text: this.hasSpoken ? `\n\n${text}` : text };
    this.hasSpoken ||= text !== null && text !== '';
    const tool = event.fields['tool_name'];
    if (event.kind === 'ActionEvent' && typeof tool === 'string') yield { type: 'tool', name: tool, input: event.fields['action'] };
  }

  /** The events that were not told yet, in their order. */
  private async news(signal: AbortSignal): Promise<AgentServerEvent[]> {
    const found: AgentServerEvent[] = [];
    for (let [page, isDone] = [null as string | null, false]; !isDone; ) {
      const { items, next } = await this.client.events(this.id, page, signal);
      const end = items.findIndex(({ id }) => id === this.anchor);
      found.push(...(end === -1 ? items : items.slice(0, end)));
      [page, isDone] = [next, end !== -1 || next === null];
    }
    this.anchor = found[0]?.id ?? this.anchor;
    return found.filter(({ id }) => !this.own.has(id)).reverse();
  }
}

function detailIn(news: readonly AgentServerEvent[]): string | null {
  const last = news.findLast(({ kind }) => kind === 'ConversationErrorEvent');
  const detail = last?.fields['detail'];
  return typeof detail === 'string' ? detail.slice(-4096) : null;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
