import { ProviderFault } from '../../plugin/index.js';

const STATUSES = ['idle', 'running', 'paused', 'waiting_for_confirmation', 'finished', 'error', 'stuck', 'deleting'] as const;

export type ExecutionStatus = (typeof STATUSES)[number];

export interface ConversationInfo {
  readonly id: string;
  readonly status: ExecutionStatus;
  /** What it has cost since it was made; null when the server does not count. */
  readonly costUsd: number | null;
  /** It takes a message once under the id that comes with it. */
  readonly takesMessageIds: boolean;
}

/** One event; what its kind adds stays as it came. */
export interface AgentServerEvent {
  readonly id: string;
  readonly kind: string;
  readonly source: string;
  readonly timestamp: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface EventPage {
  readonly items: readonly AgentServerEvent[];
  readonly next: string | null;
}

/** What became of a message; `event` is null where the server does not say it. */
export interface PostAnswer {
  readonly event: string | null;
  readonly isDuplicate: boolean;
}

export function readPost(value: unknown): PostAnswer {
  const { event_id: event, duplicate } = record(value, 'an answer to a message');
  return { event: typeof event === 'string' ? event : null, isDuplicate: duplicate === true };
}

export function readConversation(value: unknown): ConversationInfo {
  const info = record(value, 'a conversation');
  const status = STATUSES.find((known) => known === info['execution_status']);
  if (status === undefined) throw unreadable('execution_status of a conversation');
  return {
    id: text(info, 'id', 'a conversation'),
    status,
    costUsd: costOf(info['metrics']),
    takesMessageIds: info['takes_message_ids'] === true,
  };
}

export function readEventPage(value: unknown): EventPage {
  const page = record(value, 'a page of events');
  const { items, next_page_id: next = null } = page;
  if (!Array.isArray(items) || !(next === null || typeof next === 'string')) throw unreadable('a page of events');
  return { items: items.map(readEvent), next };
}

export function readEvent(value: unknown): AgentServerEvent {
  const fields = record(value, 'an event');
  const of = (key: string) => text(fields, key, 'an event');
  return { id: of('id'), kind: of('kind'), source: of('source'), timestamp: of('timestamp'), fields };
}

/** The words of a message that a user sent; null for every other event. */
export function userText(event: AgentServerEvent): string | null {
  return textFrom(event, 'user');
}

/** The words of a message of that source; null for every other event. */
export function textFrom(event: AgentServerEvent, source: 'user' | 'agent'): string | null {
  const message = event.fields['llm_message'];
  if (event.kind !== 'MessageEvent' || event.source !== source || !isRecord(message)) return null;
  const { content } = message;
  if (!Array.isArray(content)) return null;
  return content.flatMap((part: unknown) => (isRecord(part) && typeof part['text'] === 'string' ? [part['text']] : [])).join('');
}

function costOf(metrics: unknown): number | null {
  const cost = isRecord(metrics) ? metrics['accumulated_cost'] : undefined;
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : null;
}

function text(of: Readonly<Record<string, unknown>>, key: string, what: string): string {
  const value = of[key];
  if (typeof value !== 'string') throw unreadable(`${key} of ${what}`);
  return value;
}

function record(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw unreadable(what);
  return value;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unreadable(what: string): ProviderFault {
  return new ProviderFault(`the agent server answered with something that is not ${what}`, 'permanent');
}
