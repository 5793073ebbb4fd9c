import { type TurnEvent, TurnFailed, type TurnMessage } from '../../plugin/index.js';
import type { AgentServerClient, PostedMessage } from './agent-server-client.js';
import type { AgentServerPlace } from './agent-servers.js';
import { type AgentServerEvent, type ConversationInfo, textFrom } from './answers.js';
import { mayRun } from './asleep.js';
import { Nudges } from './nudges.js';
import { postOnce } from './post-once.js';
import { questionOf } from './question.js';
import { Sight, type SightOptions } from './sight.js';

export interface FollowOptions extends SightOptions {
  readonly timeoutMs: number;
  readonly pollMs: number;
  readonly beginMs: number;
}

interface Before {
  /** What the conversation had cost. */
  readonly costUsd: number;
  /** Messages as they are posted. */
  readonly worded: (messages: readonly TurnMessage[], mayRun: boolean) => readonly PostedMessage[];
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
  private hasBegun = false;
  /** When it must have begun. */
  private limit = 0;
  private isTold = false;
  /** Messages are taken one after the other, and counted; `seen`: so many were when it was last told to run. */
  private taking: Promise<boolean> = Promise.resolve(false);
  private taken = 0;
  private seen = 0;
  private readonly sight: Sight;

  constructor(
    private readonly client: AgentServerClient,
    place: AgentServerPlace,
    private readonly id: string,
    private readonly options: FollowOptions,
    private readonly before: Before,
  ) {
    this.nudges = new Nudges(place, id);
    this.sight = new Sight(client, id, options);
  }

  /** This message is the conversation's now. */
  given(event: string): void {
    this.own.add(event);
    this.last = event;
    if (this.anchor === '') this.anchor = event;
  }

  /** Ends when the agent has come to rest; throws `TurnFailed` where that was no end. */
  async *events(signal: AbortSignal): AsyncGenerator<TurnEvent, void, undefined> {
    this.expectBegin();
    let until = performance.now() + this.options.timeoutMs;
    for (; ; await this.nudges.next(this.options.pollMs, signal)) {
      const seen = await this.sight.look(signal, () => this.news(signal));
      for (const event of seen?.news ?? []) yield* this.told(event);
      if (seen?.now.status === 'waiting_for_confirmation') {
        // Nobody's time but the people's.
        until = performance.now() + this.options.timeoutMs;
        if (this.asked === null) yield this.ask();
        continue;
      }
      if (performance.now() > until) throw await this.tooLong();
      if (seen === null || (await this.isAtWork(seen.now, signal))) continue;
      return yield* this.conclude(seen.now, seen.news);
    }
  }

  /** More messages for the turn. False: it has come to rest. */
  take(messages: readonly TurnMessage[]): Promise<boolean> {
    const taken = this.taking.then(() => this.give(messages));
    this.taking = taken.catch(() => false);
    return taken;
  }

  private async give(messages: readonly TurnMessage[]): Promise<boolean> {
    if (this.isOver) return false;
    this.taken += 1;
    // Were it told to run while a person is asked something, that would be taken for their yes.
    const isToRun = mayRun(await this.client.conversation(this.id));
    for (const message of this.before.worded(messages, isToRun)) {
      const { event } = await postOnce(this.client, this.id, message, this.last);
      this.given(event);
    }
    return true;
  }

  /** Whether it goes on, by itself or because it is told to. Once it does not, the turn takes no more messages. */
  private async isAtWork({ status }: ConversationInfo, signal: AbortSignal): Promise<boolean> {
    if (this.asked !== null) this.actions.splice(0);
    this.asked = null;
    this.hasBegun ||= status === 'running';
    if (status === 'running') return true;
    if (!this.hasBegun && status !== 'paused') {
      if (performance.now() < this.limit) return true;
      if (!this.isTold) return this.tell(signal);
    }
    await this.restOfTaking();
    if (this.seen !== this.taken && (status === 'idle' || status === 'finished')) {
      this.seen = this.taken;
      // What it was given at its very end, or while a person was asked, may have begun nothing.
      this.hasBegun = status === 'finished';
      return this.tell(signal);
    }
    this.isOver = true;
    return false;
  }

  private async restOfTaking(): Promise<void> {
    for (;;) {
      const { taking } = this;
      await taking;
      if (taking === this.taking) return;
    }
  }

  /** A start that did not work is answered as one that did. */
  private async tell(signal: AbortSignal): Promise<true> {
    await this.client.run(this.id, signal);
    this.isTold = true;
    this.expectBegin();
    return true;
  }

  private expectBegin(): void {
    this.limit = performance.now() + this.options.beginMs;
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

  private *conclude(now: ConversationInfo, news: readonly AgentServerEvent[]): Generator<TurnEvent, void, undefined> {
    if (now.costUsd !== null) yield { type: 'cost', usd: Math.max(0, now.costUsd - this.before.costUsd) };
    if (!this.hasBegun && now.status !== 'paused') throw new TurnFailed('the agent server took the message, and its agent did not begin');
    if (now.status === 'error' || now.status === 'stuck') throw new TurnFailed(`the agent ended as ${now.status}`, detailIn(news));
    if (now.status === 'paused') yield { type: 'status', text: 'a person has paused the agent at its server' };
  }

  private async tooLong(): Promise<TurnFailed> {
    await this.client.interrupt(this.id).catch(() => undefined);
    return new TurnFailed(`the turn took longer than ${Math.round(this.options.timeoutMs / 1000)} s`);
  }

  private ask(): TurnEvent {
    const question = questionOf(this.actions);
    this.asked = question.id;
    return question;
  }

  private *told(event: AgentServerEvent): Generator<TurnEvent, void, undefined> {
    this.hasBegun ||= event.source === 'agent';
    if (event.kind === 'ActionEvent') this.actions.push(event);
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
