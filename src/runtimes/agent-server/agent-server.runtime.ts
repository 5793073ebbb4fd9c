import { setTimeout as delay } from 'node:timers/promises';
import { type AgentRuntime, NotFound, type TurnEvent, TurnFailed, type TurnInput } from '../../plugin/index.js';
import { promptText } from '../prompt-text.js';
import { AgentServerClient, type PostedMessage } from './agent-server-client.js';
import type { AgentServers } from './agent-servers.js';
import { type AgentServerEvent, type ConversationInfo, textFrom } from './answers.js';
import { ConversationGone } from './conversation-gone.js';
import { messageId, postOnce } from './post-once.js';

export interface AgentServerOptions {
  /** What a conversation is made with besides its id: `agent`, `agent_settings` or `agent_profile_id`, and `workspace`. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly pollMs: number;
  /** How long a loop that was told to run may not have begun. */
  readonly beginMs: number;
}

/** Runs turns in conversations of an agent server, followed by asking it again and again. */
export class AgentServerRuntime implements AgentRuntime {
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
    const isAsleep = before.status === 'paused' || before.status === 'waiting_for_confirmation';
    let last = '';
    for (const message of messagesOf(input, !isAsleep)) {
      last = message.id;
      yield { type: 'session', id: await postOnce(client, id, message, input.session, signal) };
    }
    if (isAsleep) return yield { type: 'status', text: `the conversation is ${before.status}: the message was delivered and wakes nobody` };
    try {
      yield* this.follow(client, id, last, before, signal);
    } finally {
      if (signal.aborted) await client.interrupt(id);
    }
  }

  /** A conversation that had been open is not made anew: its agent would remember nothing. */
  private async open(client: AgentServerClient, input: TurnInput, signal: AbortSignal): Promise<ConversationInfo> {
    const { id } = input.conversation;
    if (input.session === null) return client.open(id, this.options.request, signal);
    return client.conversation(id, signal).catch((error: unknown) => {
      throw error instanceof NotFound ? new ConversationGone(`the agent server knows conversation ${id} no more`, { cause: error }) : error;
    });
  }

  private async *follow(
    client: AgentServerClient,
    id: string,
    message: string,
    before: ConversationInfo,
    signal: AbortSignal,
  ): AsyncGenerator<TurnEvent, void, undefined> {
    const shown = new Set<string>();
    const limit = performance.now() + this.options.beginMs;
    for (let hasBegun = false; ; await this.linger(signal)) {
      const now = await client.conversation(id, signal);
      for (const event of await since(client, id, message, signal)) {
        if (shown.has(event.id)) continue;
        shown.add(event.id);
        yield* told(event);
      }
      hasBegun ||= now.status === 'running' || shown.size > 0;
      if (now.status === 'running' || (!hasBegun && performance.now() < limit)) continue;
      if (now.costUsd !== null) yield { type: 'cost', usd: Math.max(0, now.costUsd - (before.costUsd ?? 0)) };
      if (!hasBegun) throw new TurnFailed('the agent server took the message, and its agent did not begin');
      if (now.status === 'error' || now.status === 'stuck') throw new TurnFailed(`the agent ended as ${now.status}`);
      return;
    }
  }

  /** The timer rejects with an error of its own; the contract asks for the signal's reason. */
  private async linger(signal: AbortSignal): Promise<void> {
    await delay(this.options.pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** One for each delivery, so that a try with more of them repeats none; the last lets the agent begin. */
function messagesOf(input: TurnInput, mayRun: boolean): PostedMessage[] {
  const { messages } = input.turn;
  return messages.map((message, index) => ({
    id: messageId(message.delivery),
    text: promptText({ ...input, turn: { ...input.turn, messages: [message] } }),
    run: mayRun && index === messages.length - 1,
  }));
}

/** The events after a message, in their order. */
async function since(client: AgentServerClient, id: string, message: string, signal: AbortSignal): Promise<AgentServerEvent[]> {
  const found: AgentServerEvent[] = [];
  for (let page: string | null = null; ; ) {
    const { items, next } = await client.events(id, page, signal);
    for (const event of items) {
      if (event.id === message || textFrom(event, 'user')?.startsWith(`[message ${message}]`)) return found.reverse();
      found.push(event);
    }
    if (next === null) return found.reverse();
    page = next;
  }
}

function* told(event: AgentServerEvent): Generator<TurnEvent, void, undefined> {
  const text = textFrom(event, 'agent');
  if (text !== null) yield { type: 'text', text };
  const tool = event.fields['tool_name'];
  if (event.kind === 'ActionEvent' && typeof tool === 'string') yield { type: 'tool', name: tool };
}
