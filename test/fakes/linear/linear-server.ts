import { randomUUID } from 'node:crypto';
import { type Answer, type Call, FaultServer } from '../fault-server.js';

type Json = Record<string, unknown>;

export const ISSUE = '539068e2-ae88-4d09-bd75-22eb4a59612f';
export const ORGANISATION = 'dc844923-f9a4-40a3-825c-dea7747e57d6';
export const APP_USER = '9f9f9f9f-0000-4000-8000-000000000009';
const TOKEN = 'lin_oauth_test';

/** An error as Linear gives it. */
export function refusal(type: string, message: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: type === 'authentication error' ? 401 : 400, body: { errors: [{ message, extensions: { type } }] }, headers };
}

/** Linear's GraphQL API, as far as its schema says what the plugin asks. */
export class LinearServer extends FaultServer {
  readonly token = TOKEN;
  readonly sessions: Json[] = [];
  readonly activities: Json[] = [];
  readonly comments: Json[] = [];
  readonly reactions: Json[] = [];
  /** Workflow states by id: what an issue that is moved there says of its state. */
  readonly states: Record<string, Json> = {};
  readonly issue: Json = { id: ISSUE, updatedAt: '2026-01-01T00:00:00.000Z', state: { id: 'todo' } };
  readonly issues: Json[] = [this.issue];
  /** Nodes of a page of issues or comments. */
  pageSize = 100;
  private ms = Date.parse('2026-01-01T10:00:00Z');

  static start(): Promise<LinearServer> {
    return new LinearServer().listen();
  }

  /** Somebody delegates the issue to the agent, or mentions it. */
  addSession(more: Json = {}): Json {
    const id = randomUUID();
    const session = { id, status: 'pending', url: `https://linear.app/s/${id}`, issue: { id: ISSUE }, appUser: { id: APP_USER }, ...more };
    this.sessions.unshift(session);
    return session;
  }

  protected answer({ path, headers, body }: Call): Answer {
    if (path !== '/graphql') return { status: 404, body: 'Not found' };
    if (headers.authorization !== `Bearer ${TOKEN}`) return refusal('authentication error', 'Authentication required, not authenticated');
    const { query, variables } = JSON.parse(body) as { query: string; variables: Json };
    const field = /\{\s*(?:(?:viewer|organization) \{ id \}\s*)?(\w+)/.exec(query)?.[1] ?? '';
    const input = (variables.input ?? {}) as Json;
    const data = this.carryOut(field, variables, input);
    return 'status' in data && 'body' in data ? (data as unknown as Answer) : { status: 200, body: { data } };
  }

  private carryOut(field: string, variables: Json, input: Json): Json | Answer {
    const { id } = variables;
    switch (field) {
      case 'agentSessions':
        return { viewer: { id: APP_USER }, agentSessions: { nodes: this.sessions } };
      case 'agentSession':
        return this.found('AgentSession', field, this.sessions, id);
      case 'agentActivity':
        return this.found('AgentActivity', field, this.activities, id);
      case 'comment':
        return this.found('Comment', field, this.comments, id);
      case 'issue':
        return this.found('Issue', field, this.issues, id);
      case 'issues':
        return this.page(field, oldestChangeFirst(this.issues), variables);
      case 'comments':
        return this.page(field, newestFirst(this.comments), variables);
      case 'agentSessionCreateOnIssue':
        return { [field]: { success: true, agentSession: this.addSession({ issue: { id: input.issueId } }) } };
      case 'agentActivityCreate':
        return this.say(field, input);
      case 'commentCreate':
        return this.write(field, input);
      case 'issueUpdate':
        return this.update(field, id, input);
      case 'reactionCreate':
        this.reactions.push(input);
        return { [field]: { success: true } };
      default:
        return refusal('graphql error', `Cannot query field ${field}`);
    }
  }

  private found(type: string, field: string, items: readonly Json[], id: unknown): Json | Answer {
    const item = items.find((each) => each.id === id);
    return item ? { [field]: item } : refusal('invalid input', `Entity not found: ${type}`);
  }

  private say(field: string, { id = randomUUID(), agentSessionId, content, ephemeral = false }: Json): Json | Answer {
    if (!this.sessions.some((session) => session.id === agentSessionId)) return refusal('invalid input', 'Entity not found: AgentSession');
    if (this.activities.some((activity) => activity.id === id)) return refusal('invalid input', 'id must be unique');
    this.activities.push({ id, agentSession: { id: agentSessionId }, content, ephemeral });
    return { [field]: { success: true, agentActivity: { id } } };
  }

  private write(field: string, { id, issueId, body }: Json): Json | Answer {
    if (!this.issues.some((issue) => issue.id === issueId)) return refusal('invalid input', 'Entity not found: Issue');
    if (this.comments.some((comment) => comment.id === id)) return refusal('invalid input', 'id must be unique');
    const comment = { id, body, updatedAt: this.now(), issue: { id: issueId } };
    this.comments.push(comment);
    return { [field]: { success: true, comment } };
  }

  private update(field: string, id: unknown, { stateId }: Json): Json | Answer {
    const issue = this.issues.find((each) => each.id === id);
    if (issue === undefined) return refusal('invalid input', 'Entity not found: Issue');
    Object.assign(issue, { updatedAt: this.now(), state: { ...this.states[String(stateId)], id: stateId } });
    return { [field]: { success: true, issue } };
  }

  /** Connections of Linear: what came after the cursor, as many as a page has. */
  private page(field: string, items: readonly Json[], { filter, after }: Json): Json {
    const wanted = items.filter((item) => fits(item, (filter ?? {}) as Json));
    const from = Number(after ?? 0);
    const to = from + this.pageSize;
    const pageInfo = { hasNextPage: to < wanted.length, endCursor: String(to) };
    return { organization: { id: ORGANISATION }, [field]: { nodes: wanted.slice(from, to), pageInfo } };
  }

  private now(): string {
    return new Date(this.ms++).toISOString();
  }
}

/** The comparisons of instants in a filter; `or` of several. */
function fits(item: Json, filter: Json): boolean {
  const { or, ...fields } = filter;
  if (Array.isArray(or) && !or.some((each: Json) => fits(item, each))) return false;
  return Object.entries(fields).every(([name, comparator]) => String(item[name] ?? '') >= String((comparator as Json).gte));
}

function oldestChangeFirst(items: readonly Json[]): Json[] {
  return items.toSorted((a, b) => (String(a.updatedAt) < String(b.updatedAt) ? -1 : 1));
}

function newestFirst(items: readonly Json[]): Json[] {
  return items.toSorted((a, b) => (String(a.createdAt) > String(b.createdAt) ? -1 : 1));
}
