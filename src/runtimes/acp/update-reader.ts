import { storable } from '../../core/storable.js';
import type { TurnEvent } from '../../plugin/index.js';
import { costEvent, type Fields, fieldsOf, shown, toolEvent } from '../process/agent-event.js';

/** Uses of tools whose description is remembered, for the request of a permission that only names their id. */
const MOST_CALLS = 1_000;
const MOST_NAME = 200;

/** A use of a tool, as far as the agent has described it. */
export type ToolCall = Fields;

/** Makes the updates of one turn what the host hears. Reads them field by field: an agent may send anything. */
export class UpdateReader {
  private readonly calls = new Map<string, ToolCall>();
  private thoughts = '';
  /** What the last text belonged to, so that messages do not run into each other. */
  private message: unknown = null;
  private isInText = false;
  private saidText = false;

  /** `spentUsd`: what the session has cost so far, by the agent's own count. */
  constructor(private spentUsd: number) {}

  get totalUsd(): number {
    return this.spentUsd;
  }

  *read(update: Fields): Generator<TurnEvent> {
    const kind = update['sessionUpdate'];
    if (kind === 'agent_thought_chunk') return this.think(update);
    yield* this.endThoughts();
    if (kind === 'agent_message_chunk') return yield* this.text(update);
    this.isInText = false;
    yield* this.other(kind, update);
  }

  /** What is left at the end of the turn. */
  *end(): Generator<TurnEvent> {
    yield* this.endThoughts();
  }

  /** A use of a tool with all that was said of it before. */
  described(call: ToolCall): ToolCall {
    const known = typeof call['toolCallId'] === 'string' ? this.calls.get(call['toolCallId']) : undefined;
    const said = Object.entries(call).filter(([, value]) => value !== undefined && value !== null);
    return { ...known, ...Object.fromEntries(said) };
  }

  private *other(kind: unknown, update: Fields): Generator<TurnEvent> {
    switch (kind) {
      case 'tool_call':
        this.remember(update);
        yield toolEvent(nameOf(update), update['rawInput']);
        return;
      case 'tool_call_update':
        this.remember(this.described(update));
        if (update['status'] === 'failed') yield status(`${nameOf(this.described(update))}: failed`);
        return;
      case 'plan':
        yield* planOf(update);
        return;
      case 'current_mode_update':
        if (typeof update['currentModeId'] === 'string') yield status(`mode: ${update['currentModeId']}`);
        return;
      case 'usage_update':
        yield* this.cost(fieldsOf(update['cost']));
        return;
    }
  }

  private *text({ content, messageId }: Fields): Generator<TurnEvent> {
    const block = fieldsOf(content);
    const text = textOf(block);
    if (text === null) return yield status(`(${String(block?.['type'] ?? 'something')} that is no text)`);
    const isNext = this.saidText && (!this.isInText || (messageId ?? null) !== this.message);
    this.message = messageId ?? null;
    this.isInText = true;
    this.saidText = true;
    yield { type: 'text', text: storable(isNext ? `\n\n${text}` : text, Infinity) };
  }

  private think({ content }: Fields): void {
    // What is shown of them is short; the rest need not be kept.
    if (this.thoughts.length < 10_000) this.thoughts += textOf(fieldsOf(content)) ?? '';
  }

  private *endThoughts(): Generator<TurnEvent> {
    const thoughts = this.thoughts.trim();
    this.thoughts = '';
    if (thoughts !== '') yield status(thoughts);
  }

  /** Agents count the cost of their session, and some begin anew with each process. */
  private *cost(cost: Fields | null): Generator<TurnEvent> {
    const amount = cost?.['amount'];
    if (typeof amount !== 'number' || cost?.['currency'] !== 'USD') return;
    const event = costEvent(amount < this.spentUsd ? amount : amount - this.spentUsd);
    if (event === null) return;
    this.spentUsd = amount;
    yield event;
  }

  private remember(call: ToolCall): void {
    const id = call['toolCallId'];
    if (typeof id === 'string' && (this.calls.size < MOST_CALLS || this.calls.has(id))) this.calls.set(id, call);
  }
}

/** What people know a use of a tool by. */
export function nameOf({ title, name, kind }: ToolCall): string {
  const said = [title, name, kind].find((each) => typeof each === 'string' && each.trim() !== '');
  return typeof said === 'string' ? storable(said.replace(/\s+/g, ' ').trim(), MOST_NAME) : 'a tool';
}

function textOf(block: Fields | null): string | null {
  if (block?.['type'] === 'text' && typeof block['text'] === 'string') return block['text'];
  if (block?.['type'] === 'resource_link' && typeof block['uri'] === 'string') return block['uri'];
  return null;
}

function* planOf({ entries }: Fields): Generator<TurnEvent> {
  if (!Array.isArray(entries)) return;
  const lines = entries.slice(0, 100).flatMap((entry: unknown) => {
    const step = fieldsOf(entry);
    if (typeof step?.['content'] !== 'string') return [];
    return [`${step['status'] === 'completed' ? '[x]' : step['status'] === 'in_progress' ? '[>]' : '[ ]'} ${step['content']}`];
  });
  if (lines.length > 0) yield status(`plan:\n${lines.join('\n')}`);
}

function status(text: string): TurnEvent {
  return { type: 'status', text: shown(text) };
}
