import { randomUUID } from 'node:crypto';
import { type Answer, type Call, FaultServer } from '../fault-server.js';

interface Conversation {
  status: string;
  readonly events: Record<string, unknown>[];
}

/** A stock agent server: it takes no message ids. `manner` makes it misbehave. */
export class FakeAgentServer extends FaultServer {
  readonly conversations = new Map<string, Conversation>();
  /** What its agent answers, and how its loop ends then; null: it does not begin. */
  agent: { readonly says: string; readonly ends: string } | null = null;

  constructor(private readonly apiKey: string | null = null) {
    super();
  }

  static start(apiKey: string | null = null): Promise<FakeAgentServer> {
    return new FakeAgentServer(apiKey).listen();
  }

  /** What users said, in order. */
  said(id: string): readonly unknown[] {
    const events = this.conversations.get(id)?.events ?? [];
    return events.filter(({ source }) => source === 'user').map((event) => event['text']);
  }

  protected answer(call: Call): Answer {
    if (this.apiKey !== null && call.headers['x-session-api-key'] !== this.apiKey) return { status: 401, body: { detail: 'Unauthorized' } };
    const { pathname, searchParams } = new URL(call.path, this.url);
    // It has no sockets, and is asked again and again.
    if (!pathname.startsWith('/api/')) return { status: 404, body: { detail: 'Not Found' } };
    const [, id = '', rest = ''] = /^\/api\/conversations(?:\/([^/]+))?(?:\/(.*))?$/.exec(pathname) ?? [];
    if (id === '') return this.create(JSON.parse(call.body));
    const conversation = this.conversations.get(id);
    if (conversation === undefined) return { status: 404, body: { detail: `Conversation not found: ${id}` } };
    if (rest === '') return { status: 200, body: infoOf(id, conversation) };
    if (rest === 'events') return this.append(conversation, JSON.parse(call.body));
    if (rest === 'run') this.work(conversation);
    if (rest === 'events/search') return search(conversation, searchParams);
    return { status: 200, body: { success: true } };
  }

  private create(request: { conversation_id: string }): Answer {
    const id = request.conversation_id;
    const known = this.conversations.get(id);
    const conversation = known ?? { status: 'idle', events: [] };
    this.conversations.set(id, conversation);
    return { status: known === undefined ? 201 : 200, body: infoOf(id, conversation) };
  }

  private append(conversation: Conversation, { content, run }: { content: { text: string }[]; run: boolean }): Answer {
    const said = content.map((part) => part.text).join('');
    conversation.events.push(messageOf('user', said, conversation.events.length));
    if (run) this.work(conversation);
    return { status: 200, body: { success: true } };
  }

  private work(conversation: Conversation): void {
    if (this.agent === null || conversation.events.at(-1)?.['source'] !== 'user') return;
    conversation.events.push(messageOf('agent', this.agent.says, conversation.events.length));
    conversation.status = this.agent.ends;
  }
}

function messageOf(source: 'user' | 'agent', text: string, at: number) {
  const llm_message = { role: source === 'user' ? 'user' : 'assistant', content: [{ type: 'text', text }] };
  return { id: randomUUID(), kind: 'MessageEvent', source, timestamp: new Date(at).toISOString(), llm_message, text };
}

function infoOf(id: string, { status }: Conversation) {
  return { id, execution_status: status, metrics: { accumulated_cost: 0.25 } };
}

function search({ events }: Conversation, query: URLSearchParams): Answer {
  const from = Number(query.get('page_id') ?? 0);
  const limit = Number(query.get('limit'));
  const next = from + limit < events.length ? String(from + limit) : null;
  return { status: 200, body: { items: events.toReversed().slice(from, from + limit), next_page_id: next } };
}
