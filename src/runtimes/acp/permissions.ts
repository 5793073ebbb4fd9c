import type { PermissionOption, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { storable } from '../../core/storable.js';
import type { ApprovalDecision, TurnEvent } from '../../plugin/index.js';
import { type Fields, fieldsOf } from '../process/agent-event.js';
import type { AcpOptions } from './acp-options.js';
import { nameOf, type ToolCall } from './update-reader.js';

/** More at one time is a mistake of the agent. */
const MOST_PENDING = 32;
/** What a person is shown is all of it, or nothing is allowed. */
const MOST_BODY = 64 * 1024;

const KINDS = {
  approved: ['allow_once', 'allow_always'],
  denied: ['reject_once', 'reject_always'],
  expired: ['reject_once', 'reject_always'],
} as const;

interface Pending {
  readonly options: readonly PermissionOption[];
  readonly answer: (response: RequestPermissionResponse) => void;
}

export interface PermissionListener {
  say(event: TurnEvent): void;
  /** The turn waits for a person, or does so no more. */
  waiting(isWaiting: boolean): void;
}

/** What the agent of a turn asks leave for, until it is decided or the turn ends. */
export class Permissions {
  private readonly pending = new Map<string, Pending>();
  private asked = 0;
  private isOver = false;

  constructor(
    private readonly policy: AcpOptions['permissions'],
    private readonly listener: PermissionListener,
  ) {}

  /** Resolves with the answer for the agent. */
  async ask(call: ToolCall, options: readonly PermissionOption[]): Promise<RequestPermissionResponse> {
    const title = nameOf(call);
    if (this.isOver) return CANCELLED;
    if (this.policy !== 'ask') {
      this.listener.say({ type: 'status', text: `${this.policy === 'allow' ? 'allowed' : 'denied'} by the configuration: ${title}` });
      return responseOf(options, this.policy === 'allow' ? 'approved' : 'denied');
    }
    const body = bodyOf(call, title);
    if (body.length > MOST_BODY || this.pending.size >= MOST_PENDING) {
      const why = body.length > MOST_BODY ? 'it is too long to be shown to a person' : `${MOST_PENDING} others wait for a person already`;
      this.listener.say({ type: 'status', text: `denied: ${title}: ${why}` });
      return responseOf(options, 'denied');
    }
    return this.askPerson({ id: `permission-${++this.asked}`, title, body }, options);
  }

  /** False: nothing of that name waits. */
  decide(id: string, decision: ApprovalDecision): boolean {
    const pending = this.pending.get(id);
    if (!pending) return false;
    this.settle(id, pending, responseOf(pending.options, decision));
    return true;
  }

  /** The turn ends: what waits is told so, and so is what comes. */
  cancelAll(): void {
    this.isOver = true;
    for (const [id, pending] of this.pending) this.settle(id, pending, CANCELLED);
  }

  private askPerson(request: { readonly id: string; readonly title: string; readonly body: string }, options: readonly PermissionOption[]) {
    return new Promise<RequestPermissionResponse>((answer) => {
      this.pending.set(request.id, { options, answer });
      this.listener.waiting(true);
      this.listener.say({ type: 'approval', ...request });
    });
  }

  private settle(id: string, { answer }: Pending, response: RequestPermissionResponse): void {
    this.pending.delete(id);
    if (this.pending.size === 0) this.listener.waiting(false);
    answer(response);
  }
}

const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };

/** The narrowest of the agent's answers that means the decision; where it offers none, it is told that nothing was chosen. */
function responseOf(options: readonly PermissionOption[], decision: ApprovalDecision): RequestPermissionResponse {
  const option = KINDS[decision].flatMap((kind) => options.filter((each) => each.kind === kind)).at(0);
  return option === undefined ? CANCELLED : { outcome: { outcome: 'selected', optionId: option.optionId } };
}

/** Exactly what would be done, as far as the agent says it. */
function bodyOf(call: ToolCall, title: string): string {
  const parts = [title, ...locationsOf(call), ...contentOf(call)];
  if (call['rawInput'] !== undefined) parts.push(JSON.stringify(call['rawInput'], null, 2));
  return storable(parts.join('\n\n'), MOST_BODY + 1);
}

function locationsOf({ locations }: ToolCall): string[] {
  const paths = listOf(locations).flatMap(({ path }) => (typeof path === 'string' ? [path] : []));
  return paths.length === 0 ? [] : [paths.join('\n')];
}

function contentOf({ content }: ToolCall): string[] {
  return listOf(content).flatMap((part) => {
    if (part['type'] === 'diff') return [`${part['path']}\n--- old\n${part['oldText'] ?? ''}\n+++ new\n${part['newText'] ?? ''}`];
    const text = fieldsOf(part['content'])?.['text'];
    return typeof text === 'string' ? [text] : [];
  });
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf).filter((each) => each !== null) : [];
}
