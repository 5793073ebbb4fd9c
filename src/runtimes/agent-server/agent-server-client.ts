import { Conflict, InvalidInput, NotFound, OutcomeUnknown, ProviderFault } from '../../plugin/index.js';
import type { AgentServerPlace } from './agent-servers.js';
import { type ConversationInfo, type EventPage, type PostAnswer, readConversation, readEventPage, readPost } from './answers.js';

const DEFAULT_TIMEOUT_MS = 15_000;
const PAGE = 100;

export interface PostedMessage {
  /** Honoured by servers that know `message_id`; others ignore it. */
  readonly id: string;
  readonly text: string;
  /** Its id stands in its words, for servers that take none. */
  readonly isMarked: boolean;
  /** Whether the agent is to begin. */
  readonly run: boolean;
}

/**
 * The HTTP API of an agent server. What it answers is told apart by class: `NotFound` (404), `Conflict` (409), `InvalidInput` (400, 422),
 * `ProviderFault` (another refusal), and `OutcomeUnknown` where a write may have taken effect.
 */
export class AgentServerClient {
  constructor(
    private readonly place: AgentServerPlace,
    private readonly timeoutMs = DEFAULT_TIMEOUT_MS,
  ) {}

  /** Idempotent: a conversation that exists is answered as it is, and the rest of `request` is ignored. */
  async open(id: string, request: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<ConversationInfo> {
    return readConversation(await this.call('POST', '/conversations', { ...request, conversation_id: id }, signal));
  }

  async conversation(id: string, signal?: AbortSignal): Promise<ConversationInfo> {
    return readConversation(await this.call('GET', of(id), undefined, signal));
  }

  async post(id: string, message: PostedMessage, signal?: AbortSignal): Promise<PostAnswer> {
    const content = [{ type: 'text', text: message.text }];
    return readPost(
      await this.call('POST', `${of(id)}/events`, { role: 'user', content, run: message.run, message_id: message.id }, signal),
    );
  }

  /** Newest first. */
  async events(id: string, page: string | null, signal?: AbortSignal): Promise<EventPage> {
    const query = new URLSearchParams({ limit: String(PAGE), sort_order: 'TIMESTAMP_DESC', ...(page === null ? {} : { page_id: page }) });
    return readEventPage(await this.call('GET', `${of(id)}/events/search?${query}`, undefined, signal));
  }

  /** Begins the work on what is not done, where it is not begun. */
  async run(id: string, signal?: AbortSignal): Promise<void> {
    await this.call('POST', `${of(id)}/run`, undefined, signal).catch((error: unknown) => {
      if (!(error instanceof Conflict)) throw error;
    });
  }

  async interrupt(id: string, signal?: AbortSignal): Promise<void> {
    await this.call('POST', `${of(id)}/interrupt`, undefined, signal);
  }

  async respond(id: string, accept: boolean, reason: string, signal?: AbortSignal): Promise<void> {
    await this.call('POST', `${of(id)}/events/respond_to_confirmation`, { accept, reason }, signal);
  }

  private async call(method: 'GET' | 'POST', path: string, body: unknown, signal?: AbortSignal): Promise<unknown> {
    const limit = AbortSignal.timeout(this.timeoutMs);
    const what = `${method} /api${path.split('?')[0]}`;
    try {
      const response = await fetch(`${this.place.url}/api${path}`, {
        method,
        headers: this.headers(body !== undefined),
        redirect: 'error',
        signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = await response.text();
      if (!response.ok) throw refusal(response.status, method, what);
      return parsed(answer, what);
    } catch (error) {
      if (isTold(error)) throw error;
      signal?.throwIfAborted();
      throw unanswered(method, what, error);
    }
  }

  private headers(withBody: boolean): Record<string, string> {
    return {
      accept: 'application/json',
      ...(withBody ? { 'content-type': 'application/json' } : {}),
      ...(this.place.apiKey === null ? {} : { 'x-session-api-key': this.place.apiKey }),
    };
  }
}

function of(id: string): string {
  return `/conversations/${encodeURIComponent(id)}`;
}

/** The detail that the server gives is left out: it may repeat what was sent. */
function refusal(status: number, method: string, what: string): Error {
  const said = `the agent server answered ${what} with ${status}`;
  if (status === 404) return new NotFound(said);
  if (status === 409) return new Conflict(said);
  if (status === 400 || status === 422) return new InvalidInput(said);
  if (status === 401 || status === 403) return new ProviderFault(`${said}: check its apiKey`, 'unauthorized');
  // Nothing was done: the server was not ready, or wants to be asked less often.
  if (status === 503 || status === 429) return new ProviderFault(said, 'transient');
  if (status < 500) return new ProviderFault(said, 'permanent');
  return method === 'GET' ? new ProviderFault(said, 'transient') : new OutcomeUnknown(said);
}

function unanswered(method: string, what: string, cause: unknown): Error {
  const said = `the agent server did not answer ${what}`;
  return method === 'GET' ? new ProviderFault(said, 'transient', null, { cause }) : new OutcomeUnknown(said, { cause });
}

function parsed(answer: string, what: string): unknown {
  try {
    return JSON.parse(answer);
  } catch (cause) {
    throw new ProviderFault(`the agent server answered ${what} with something that is not JSON`, 'permanent', null, { cause });
  }
}

function isTold(error: unknown): boolean {
  return [NotFound, Conflict, InvalidInput, ProviderFault, OutcomeUnknown].some((kind) => error instanceof kind);
}
