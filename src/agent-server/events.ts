import { randomUUID } from 'node:crypto';

export type Source = 'user' | 'agent' | 'environment';

/** What happened in a conversation, as the API shows it; `kind` says what else there is. */
export interface ConversationEvent {
  readonly id: string;
  readonly kind: string;
  readonly source: Source;
  /** ISO-8601, UTC. */
  readonly timestamp: string;
  readonly [field: string]: unknown;
}

export function message(source: 'user' | 'agent', text: string, id: string = randomUUID()): ConversationEvent {
  const llm_message = { role: source === 'user' ? 'user' : 'assistant', content: [{ type: 'text', text }] };
  return { id, kind: 'MessageEvent', source, timestamp: now(), llm_message };
}

export function action(name: string, input: unknown, about: object = {}): ConversationEvent {
  return { id: randomUUID(), kind: 'ActionEvent', source: 'agent', timestamp: now(), tool_name: name, action: input ?? null, ...about };
}

export function stateUpdate(key: string, value: unknown): ConversationEvent {
  return { id: randomUUID(), kind: 'ConversationStateUpdateEvent', source: 'environment', timestamp: now(), key, value };
}

/** `pause`: until a person lets it go on. `interrupt`: what it was doing, and no more than that. */
export function stopEvent(how: 'pause' | 'interrupt'): ConversationEvent {
  return { id: randomUUID(), kind: how === 'pause' ? 'PauseEvent' : 'InterruptEvent', source: 'user', timestamp: now() };
}

export function failure(code: string, detail: string, isRetryable: boolean): ConversationEvent {
  const classification = { kind: isRetryable ? 'transient' : 'agent_action', retryable: isRetryable, user_action: 'none', error_id: null };
  return { id: randomUUID(), kind: 'ConversationErrorEvent', source: 'environment', timestamp: now(), code, detail, classification };
}

/** The words of a message; null for every other event. */
export function textOf({ kind, llm_message: said }: ConversationEvent): string | null {
  if (kind !== 'MessageEvent') return null;
  const { content } = said as { content: readonly { text?: string }[] };
  return content.map(({ text }) => text ?? '').join('');
}

function now(): string {
  return new Date().toISOString();
}
