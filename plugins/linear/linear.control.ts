import {
  type Acknowledged,
  ChannelFault,
  type ChannelState,
  type Connection,
  type ControlChannel,
  type ControlPost,
  type ControlThread,
  type Subject,
  type WantedThread,
} from 'throughline/plugin';
import { type Fields, fields, list, webAddress, word } from './json.js';
import { askLinear, type Doing, Refusal } from './linear.client.js';
import type { LinearConnection } from './linear.options.js';

type Linear = Connection<LinearConnection>;

const SESSION = 'id status url issue { id } appUser { id }';
const ONE = `query ($id: String!) { agentSession(id: $id) { ${SESSION} } }`;
const NEWEST = `query { viewer { id } agentSessions(first: 100, orderBy: createdAt) { nodes { ${SESSION} } } }`;
const CREATE = `mutation ($input: AgentSessionCreateOnIssue!) { agentSessionCreateOnIssue(input: $input) { agentSession { ${SESSION} } } }`;
const SAY = 'mutation ($input: AgentActivityCreateInput!) { agentActivityCreate(input: $input) { success agentActivity { id } } }';
const SAID = 'query ($id: String!) { agentActivity(id: $id) { id agentSession { id } } }';
const REACT = 'mutation ($input: ReactionCreateInput!) { reactionCreate(input: $input) { success } }';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Agent sessions of an issue: https://linear.app/developers/agent-interaction */
export class LinearControl implements ControlChannel<LinearConnection> {
  /** Activities cannot be changed. */
  readonly limits = { title: 100, text: 20_000, editMs: null };

  missing({ name, options }: Linear): string | null {
    return options.token === undefined ? `connections.${name} needs \`token\`, an access token of the agent's OAuth application` : null;
  }

  async ensureThread({ subject, known, parent }: WantedThread, connection: Linear, signal: AbortSignal): Promise<ControlThread> {
    const own = sessionSubject(subject) ?? (known?.parent === parent ? known.id : undefined);
    const session = own === undefined ? undefined : await this.session(own, connection, signal);
    const found = session ?? (await this.newest(subject, connection, signal)) ?? (await this.create(subject, connection, signal));
    const [id, url] = [word(found.id), webAddress(found.url)];
    if (id === undefined) throw new Error('Linear did not say which session it made');
    return { parent, id, title: 'Linear agent session', ...(url !== undefined && { url }) };
  }

  /** Linear derives a session's state from its last activity. */
  async archive(): Promise<void> {}

  async unarchive(): Promise<void> {}

  /** What waits for an answer is an elicitation; all else that the host says is complete. */
  async post(thread: ControlThread, post: ControlPost, connection: Linear, signal: AbortSignal): Promise<{ readonly message: string }> {
    if (post.text.length > this.limits.text)
      throw new ChannelFault('refused', `the message has ${post.text.length} characters; Linear takes ${this.limits.text} here`);
    const { text, key, buttons = [] } = post;
    const choices = buttons.map(({ label, action }) => `- **${label}**: write \`${wordsOf(action)}\``).join('\n');
    const content = { type: buttons.length > 0 ? 'elicitation' : 'response', body: choices === '' ? text : `${text}\n\n${choices}` };
    try {
      await call('write', SAY, { input: { id: key, agentSessionId: thread.id, content } }, connection, signal, 'thread_gone');
    } catch (error) {
      // Linear does not document what it answers to an id that it has already.
      const isThere =
        error instanceof ChannelFault && error.state === 'refused' && (await this.findMarker(thread, key, connection, signal));
      if (!isThere) throw error;
    }
    return { message: key };
  }

  /** The host does not ask for it: what has changed is said once more. */
  async edit(): Promise<void> {
    throw new ChannelFault('refused', 'an activity of an agent session at Linear stays as it was said');
  }

  /** Linear takes an agent for dead that says nothing within ten seconds; a comment outside of a session gets an eye. */
  async acknowledge({ thread, message, subject }: Acknowledged, connection: Linear, signal: AbortSignal): Promise<void> {
    const session = thread ?? sessionSubject(subject) ?? word((await this.newest(subject, connection, signal, 'pending'))?.id);
    if (session !== undefined) {
      const content = { type: 'thought', body: 'Taken up.' };
      const input = { agentSessionId: session, content, ephemeral: true };
      await call('write', SAY, { input }, connection, signal, 'thread_gone');
    } else if (UUID.test(message)) {
      await call('write', REACT, { input: { commentId: message, emoji: 'eyes' } }, connection, signal, 'message_gone').catch((error) => {
        if (!(error instanceof ChannelFault && (error.state === 'message_gone' || error.state === 'refused'))) throw error;
      });
    }
  }

  async findMarker(thread: ControlThread, key: string, connection: Linear, signal: AbortSignal): Promise<string | null> {
    try {
      const { agentActivity } = await call('read', SAID, { id: key }, connection, signal, 'message_gone');
      return fields(fields(agentActivity)?.agentSession)?.id === thread.id ? key : null;
    } catch (error) {
      if (error instanceof ChannelFault && error.state === 'message_gone') return null;
      throw error;
    }
  }

  private async session(id: string, connection: Linear, signal: AbortSignal): Promise<Fields | undefined> {
    try {
      return fields((await call('read', ONE, { id }, connection, signal, 'thread_gone')).agentSession);
    } catch (error) {
      if (error instanceof ChannelFault && error.state === 'thread_gone') return undefined;
      throw error;
    }
  }

  /** Ours on the issue, the newest first. */
  private async newest(subject: Subject, connection: Linear, signal: AbortSignal, status?: string): Promise<Fields | undefined> {
    const issue = issueSubject(subject);
    if (issue === undefined) return undefined;
    const { viewer, agentSessions } = await call('read', NEWEST, {}, connection, signal, 'parent_gone');
    const me = word(fields(viewer)?.id);
    return list(fields(agentSessions)?.nodes).find((session) => {
      const isOurs = fields(session.issue)?.id === issue && fields(session.appUser)?.id === me;
      return isOurs && (status === undefined || session.status === status);
    });
  }

  private async create(subject: Subject, connection: Linear, signal: AbortSignal): Promise<Fields> {
    const issueId = issueSubject(subject);
    if (issueId === undefined) throw new ChannelFault('refused', 'this conversation is about no issue or agent session of Linear');
    const made = await call('write', CREATE, { input: { issueId } }, connection, signal, 'parent_gone');
    return fields(fields(made.agentSessionCreateOnIssue)?.agentSession) ?? {};
  }
}

function wordsOf(action: NonNullable<ControlPost['buttons']>[number]['action']): string {
  return action.type === 'decision' ? `/${action.decision} ${action.approval}` : `/${action.name} ${action.argument ?? ''}`.trimEnd();
}

function issueSubject({ namespace, key }: Subject): string | undefined {
  return /^linear:[^:]+:issue$/.test(namespace) ? key : undefined;
}

function sessionSubject({ namespace, key }: Subject): string | undefined {
  return /^linear:[^:]+:session$/.test(namespace) ? key : undefined;
}

async function call(
  doing: Doing,
  document: string,
  values: Fields,
  connection: Linear,
  signal: AbortSignal,
  gone: ChannelState,
): Promise<Fields> {
  try {
    return await askLinear(doing, document, values, connection, signal);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const states = {
      rate_limited: 'rate_limited',
      unauthorized: 'forbidden',
      not_found: gone,
      invalid: 'refused',
      away: 'unavailable',
    } as const;
    const step = error.kind === 'unauthorized' ? `; put a valid token with app:assignable into connections.${connection.name}.token` : '';
    throw new ChannelFault(states[error.kind], `${error.message}${step}`, error.retryAfterMs, { cause: error });
  }
}
