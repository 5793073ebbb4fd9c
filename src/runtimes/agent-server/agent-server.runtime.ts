import { setTimeout as delay } from 'node:timers/promises';
import {
  type AgentRuntime,
  type ApprovalDecision,
  NotFound,
  type TurnEvent,
  type TurnInput,
  type TurnMessage,
} from '../../plugin/index.js';
import { promptText } from '../prompt-text.js';
import { AgentServerClient, type PostedMessage } from './agent-server-client.js';
import type { AgentServers } from './agent-servers.js';
import type { ConversationInfo } from './answers.js';
import { isAsleep } from './asleep.js';
import { ConversationGone } from './conversation-gone.js';
import { Followed } from './followed.js';
import { messageId, postOnce } from './post-once.js';

export interface AgentServerOptions {
  /** What a conversation is made with besides its id: `agent`, `workspace`, … */
  readonly request: Readonly<Record<string, unknown>>;
  /** Longest turn, without the time that people take to decide. */
  readonly timeoutMs: number;
  readonly pollMs: number;
  /** How long a loop that was told to run may not have begun. */
  readonly beginMs: number;
  /** How long a server that answers nothing of use is asked on about a turn that runs. */
  readonly silenceMs: number;
  /** How long a conversation that had been open is waited for where its server does not know it, and how often it is asked for. */
  readonly wait: { readonly limitMs: number; readonly everyMs: number };
}

const REJECTION = 'A person did not allow it.';

/** Runs turns in conversations of an agent server. A message that was given once is not given again, whoever died in between. */
export class AgentServerRuntime implements AgentRuntime {
  private readonly running = new Map<string, Followed>();

  constructor(
    private readonly servers: AgentServers,
    private readonly options: AgentServerOptions,
  ) {}

  async *startTurn(input: TurnInput, signal: AbortSignal): AsyncGenerator<TurnEvent, void, undefined> {
    const { id } = input.conversation;
    const place = await this.servers.find(id, signal);
    if (place === null) throw new ConversationGone(`no agent server has conversation ${id} any more`);
    const client = new AgentServerClient(place);
    const before = await this.open(client, input, signal);
    const [sleeps, isMarked] = [await isAsleep(client, before, signal), !before.takesMessageIds];
    const followed = new Followed(client, place, id, this.options, {
      costUsd: before.costUsd ?? 0,
      worded: (messages, isToRun) => messagesOf(input, messages, { mayRun: isToRun, isMarked }),
    });
    let isKnown = false;
    for (const [index, message] of messagesOf(input, input.turn.messages, { mayRun: !sleeps, isMarked }).entries()) {
      const posted = await postOnce(client, id, message, input.session, signal);
      // The turn's first, so that a repeated turn finds all of them behind it.
      if (index === 0) yield { type: 'session', id: posted.event };
      followed.given(posted.event);
      isKnown = posted.isOld;
      // A message that it had from an earlier try began nothing this time.
      if (message.run && isKnown) await client.run(id, signal);
    }
    // A person has stopped it, or is asked something: whoever writes meanwhile neither goes on for them nor answers for them.
    if (sleeps && !(isKnown && before.status === 'waiting_for_confirmation')) return yield { type: 'result', text: notice(before) };
    yield* this.follow(input.turn.id, followed, () => client.interrupt(id), signal);
  }

  private async *follow(
    turn: string,
    followed: Followed,
    interrupt: () => Promise<void>,
    signal: AbortSignal,
  ): AsyncGenerator<TurnEvent, void, undefined> {
    this.running.set(turn, followed);
    // Whoever stops listening has stopped the turn, too.
    let isLeft = true;
    try {
      yield* followed.events(signal);
      isLeft = false;
    } catch (error) {
      isLeft = signal.aborted;
      throw error;
    } finally {
      this.running.delete(turn);
      followed.close();
      // The reason why it was aborted is not hidden by a server that cannot be told.
      if (isLeft) await interrupt().catch(() => undefined);
    }
  }

  /** What was given already is found among its events. */
  async reattach(input: TurnInput, _interrupted: string, signal: AbortSignal): Promise<AsyncIterable<TurnEvent>> {
    return this.startTurn(input, signal);
  }

  async append(turn: string, messages: readonly TurnMessage[]): Promise<boolean> {
    return (await this.running.get(turn)?.take(messages)) ?? false;
  }

  async decide(turn: string, request: string, decision: ApprovalDecision): Promise<boolean> {
    return (await this.running.get(turn)?.decide(request, decision === 'approved', REJECTION)) ?? false;
  }

  async check(): Promise<string | null> {
    return (await this.servers.check?.()) ?? null;
  }

  /** A conversation that had been open is not made anew: its agent would remember nothing. */
  private async open(client: AgentServerClient, input: TurnInput, signal: AbortSignal): Promise<ConversationInfo> {
    const { id } = input.conversation;
    if (input.session === null) return client.open(id, this.options.request, signal);
    const { limitMs, everyMs } = this.options.wait;
    for (const until = performance.now() + limitMs; ; ) {
      const found = await client.conversation(id, signal).catch((error: unknown) => {
        if (error instanceof NotFound) return null;
        throw error;
      });
      if (found !== null) return found;
      if (performance.now() + everyMs > until) throw new ConversationGone(`the agent server knows conversation ${id} no more`);
      await delay(everyMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

/** One for each delivery, so that a try with more of them repeats none; the last lets the agent begin. */
function messagesOf(
  input: TurnInput,
  messages: readonly TurnMessage[],
  { mayRun, isMarked }: { readonly mayRun: boolean; readonly isMarked: boolean },
): PostedMessage[] {
  const text = (message: TurnMessage) => promptText({ ...input, turn: { ...input.turn, messages: [message] } });
  return messages.map((message, index) => {
    const run = mayRun && index === messages.length - 1;
    return { id: messageId(message.delivery), text: text(message), isMarked, run };
  });
}

function notice({ status }: ConversationInfo): string {
  const why = status === 'paused' ? 'a person has paused its agent' : 'its agent waits for a person to confirm something';
  return `The message was delivered, and the agent was not woken: ${why} at the agent server.`;
}
