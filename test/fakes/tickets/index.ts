import { Injectable, Module } from '@nestjs/common';
import { IsString, IsUrl, Length } from 'class-validator';
import {
  type AgentRuntime,
  type AuthenticEvent,
  type ClaimedDelivery,
  type Connection,
  definePlugin,
  type EffectReader,
  type EvidenceIds,
  instantRevision,
  type LifecycleHandler,
  type OutboundTool,
  OutcomeUnknown,
  type Parsed,
  type Preparer,
  type Provider,
  ProviderFault,
  type Subject,
  type SubjectParser,
  type VerifiedRequest,
  type WebhookTransport,
} from 'throughline/plugin';

/** What a connection has in the configuration, beside the host's own keys. */
export class TicketsConnection {
  @IsUrl({ require_tld: false, protocols: ['http', 'https'] })
  readonly apiUrl!: string;

  @IsString()
  @Length(1, 200)
  readonly token!: string;
}

interface TicketEvent {
  readonly tenant: string;
  readonly action: 'opened' | 'commented' | 'edited' | 'closed';
  readonly ticket: { readonly id: number; readonly title: string; readonly state: 'open' | 'closed'; readonly updated: string };
  readonly comment?: { readonly id: string; readonly text: string; readonly updated: string; readonly client?: string };
  readonly user: { readonly id: number; readonly name: string; readonly bot: boolean };
}

const webhook: WebhookTransport<TicketsConnection> = {
  kind: 'webhook',
  signature: () => ({ algorithm: 'hmac-sha256', signature: { header: 'x-tickets-signature', encoding: 'hex' } }),
  deliveryId: ({ headers }: VerifiedRequest) => (typeof headers['x-tickets-id'] === 'string' ? headers['x-tickets-id'] : null),
  eventKey: ({ payload }: VerifiedRequest) => (isTicketEvent(payload) ? `ticket.${payload.action}` : 'unknown'),
};

/** Pure and total: what it does not know is recorded. */
class TicketSubjects implements SubjectParser<TicketsConnection> {
  parse({ payload }: AuthenticEvent<TicketsConnection>): Parsed {
    if (!isTicketEvent(payload)) return { kind: 'recorded', reason: 'invalid_shape', subject: null };
    const { ticket, comment, user, action } = payload;
    const subject = subjectOf(payload.tenant, ticket.id);
    const about = {
      ...{ subject, title: `#${ticket.id} ${ticket.title}`, occurredAt: comment?.updated ?? ticket.updated },
      author: { id: String(user.id), name: user.name, isBot: user.bot },
      observation: {
        state: ticket.state === 'closed' ? ('terminal' as const) : ('open' as const),
        reason: 'closed',
        revision: instantRevision(ticket.updated),
        transition: action === 'closed' || action === 'opened',
      },
    };
    if (action === 'closed') return { ...about, kind: 'lifecycle' };
    if (comment === undefined) return { ...about, kind: 'prompt', text: ticket.title };
    const messageKey = `comment ${comment.id}`;
    if (action === 'edited') return { ...about, kind: 'edit', messageKey, text: comment.text, revision: instantRevision(comment.updated) };
    const written = { account: payload.tenant, kind: 'comment', action: 'create', ids: idsOf(ticket.id, comment.id) };
    return { ...about, kind: 'prompt', text: comment.text, messageKey, evidence: { ...written, marker: comment.client ?? null } };
  }
}

function isTicketEvent(payload: unknown): payload is TicketEvent {
  const { tenant, action, ...event } = fields(payload);
  const [ticket, comment, user] = [fields(event.ticket), fields(event.comment), fields(event.user)];
  if (typeof action !== 'string') return false;
  const isAbout = ['opened', 'closed'].includes(action) || event.comment !== undefined;
  const texts = [tenant, ticket.title, ticket.updated, user.name];
  if (event.comment !== undefined) texts.push(comment.id, comment.text, comment.updated);
  const isKnown = ['opened', 'commented', 'edited', 'closed'].includes(action) && isAbout;
  const isWritten = ['string', 'undefined'].includes(typeof comment.client);
  const isPerson = Number.isSafeInteger(user.id) && typeof user.bot === 'boolean';
  return isKnown && isWritten && isPerson && Number.isSafeInteger(ticket.id) && texts.every((text) => typeof text === 'string');
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Of ids that never change: a title, a slug or a login would make another subject of a renamed one. */
function subjectOf(tenant: string, ticket: number): Subject {
  return { namespace: `tickets:${tenant}:ticket`, key: String(ticket) };
}

/** What only this comment can have: the answer to the write and its callback give exactly the same. */
function idsOf(ticket: number | string, comment: string): EvidenceIds {
  return { ticket: String(ticket), comment };
}

export class CommentInput {
  @IsString()
  @Length(1, 10_000)
  readonly text!: string;
}

const comment: OutboundTool<TicketsConnection, CommentInput> = {
  name: 'ticket_comment',
  input: CommentInput,
  isMarked: true,
  scope: (_, { subject }) => ({ account: subject.namespace.split(':')[1] ?? '', kind: 'comment', action: 'create', subject }),
  execute: async ({ text }, { connection, subject }, key) => {
    const answer = await ask(connection, `/tickets/${subject.key}/comments`, { text, client: key });
    // From here on the provider may have written it, whatever goes wrong.
    if (answer.status >= 400 && answer.status < 500) throw new ProviderFault(`tickets answered ${answer.status}`, 'permanent');
    if (!answer.ok) throw new OutcomeUnknown(`tickets answered ${answer.status}`);
    return { ids: idsOf(subject.key, ((await answer.json()) as { id: string }).id) };
  },
};

const written: EffectReader<TicketsConnection> = {
  find: async ({ connection, scope, marker }, signal) => {
    if (scope.subject === null) return 'unknown';
    const answer = await ask(connection, `/tickets/${scope.subject.key}/comments`, null, signal);
    const found = ((await answer.json()) as { id: string; client?: string }[]).find(({ client }) => client === marker);
    return found ? { ids: idsOf(scope.subject.key, found.id) } : 'absent';
  },
};

/** Looks before an agent is woken: the ticket may have been closed since, and the event of that be on its way. */
const preparer: Preparer<TicketsConnection> = {
  prepare: async ({ conversation }: ClaimedDelivery, connection, signal) => {
    const answer = await ask(connection, `/tickets/${conversation.key}`, null, signal);
    if (!answer.ok) throw new ProviderFault(`tickets answered ${answer.status}`, 'transient');
    const { state, updated } = (await answer.json()) as TicketEvent['ticket'];
    const revision = instantRevision(updated);
    return { verdict: 'proceed', observation: { state: state === 'closed' ? 'terminal' : 'open', reason: 'closed', revision } };
  },
};

const lifecycle: LifecycleHandler<TicketsConnection> = {
  settle: async ({ connection, conversation, reason, fence, signal }) => {
    // It may have been reopened while this was on its way.
    if (!(await fence.holds())) return;
    const answer = await ask(connection, `/tickets/${conversation.key}/labels`, { label: `agent done: ${reason}` }, signal);
    if (!answer.ok) throw new ProviderFault(`tickets answered ${answer.status}`, 'transient');
  },
};

function ask({ options }: Connection<TicketsConnection>, path: string, body: object | null, signal?: AbortSignal): Promise<Response> {
  return fetch(options.apiUrl + path, {
    method: body === null ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${options.token}`, 'content-type': 'application/json' },
    ...(body !== null && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
}

/** `runtimes.<name>: { kind: shout }`. */
function shout({ suffix = '!' }: Readonly<Record<string, unknown>>): AgentRuntime {
  return {
    async *startTurn({ turn }) {
      for (const { text } of turn.messages) yield { type: 'text', text: text.toUpperCase() + String(suffix) };
    },
  };
}

@Injectable()
export class TicketsProvider implements Provider<TicketsConnection> {
  readonly transports = [webhook];
  readonly subjects = new TicketSubjects();
  readonly tools = [comment];
  readonly effects = written;
  readonly preparer = preparer;
  readonly lifecycle = lifecycle;
  readonly runtimes = { shout };
}

@Module({ providers: [TicketsProvider], exports: [TicketsProvider] })
export class TicketsModule {}

export default definePlugin({
  ...{ name: 'tickets', apiVersion: 1, options: TicketsConnection },
  ...{ module: TicketsModule, provider: TicketsProvider },
});
