import type { FastifyInstance, FastifyRequest } from 'fastify';
import { validate } from 'uuid';
import { InvalidInput, NotFound } from '../plugin/errors.js';
import type { Commands } from './commands.js';
import { viewOf } from './conversation-view.js';
import type { Conversations } from './conversations.js';
import { type ConversationEvent, textOf } from './events.js';
import { download, upload } from './files.js';
import type { HostedConversation } from './hosted-conversation.js';
import { pageOf } from './paging.js';
import { readChange, readCommand, readConfirmation, readMessage, readStart, Unprocessable } from './requests.js';

export interface Hosted {
  readonly conversations: Conversations;
  readonly commands: Commands;
  /** Where conversations without a folder of their own work. */
  readonly workspaces: string;
}

type Query = Readonly<Record<string, string | undefined>>;
const SUCCESS = { success: true };

export function addConversations(api: FastifyInstance, { conversations, workspaces }: Hosted): void {
  const named = namedIn(conversations);
  const viewed = (id: string) => conversations.with(id, (found) => (found === null ? null : viewOf(found)));
  api.post('/conversations', async ({ body }, reply) => {
    const { origin, first } = readStart(body, workspaces);
    return conversations.make(origin, async (conversation, isNew) => {
      // One that was there is answered as it is: nothing of the request is done.
      if (isNew && first !== null) await conversation.post(first.text, first);
      return reply.code(isNew ? 201 : 200).send(viewOf(conversation));
    });
  });
  api.get('/conversations', async ({ query }) => {
    const { ids = [] } = query as { ids?: string | string[] };
    const asked = [ids].flat();
    if (asked.length > 100) throw new InvalidInput('at most 100 ids');
    return Promise.all(asked.map(viewed));
  });
  api.get('/conversations/search', async ({ query }) => {
    const { items, next_page_id } = pageOf(conversations.all(), query as Query);
    return { items: await Promise.all(items.map(({ id }) => viewed(id))), next_page_id };
  });
  api.get('/conversations/count', async () => conversations.all().length);
  api.get('/conversations/:id', async (request) => named(request, viewOf));
  api.patch('/conversations/:id', async (request) => {
    const { title } = readChange(request.body);
    if (title !== null) await named(request, (conversation) => conversation.rename(title));
    return SUCCESS;
  });
  api.delete('/conversations/:id', async (request) => {
    await conversations.remove(await named(request, ({ id }) => id));
    return SUCCESS;
  });
}

export function addExecution(api: FastifyInstance, { conversations }: Hosted): void {
  const named = namedIn(conversations);
  api.post('/conversations/:id/run', async (request) => {
    await named(request, (conversation) => conversation.run());
    return SUCCESS;
  });
  for (const how of ['pause', 'interrupt'] as const)
    api.post(`/conversations/:id/${how}`, async (request) => {
      await named(request, (conversation) => conversation.pause(how));
      return SUCCESS;
    });
  api.get('/conversations/:id/agent_final_response', async (request) => {
    return { response: await named(request, ({ events }) => lastWords(events)) };
  });
}

export function addEvents(api: FastifyInstance, { conversations }: Hosted): void {
  const named = namedIn(conversations);
  api.post('/conversations/:id/events', async (request) => {
    const said = readMessage(request.body);
    const { event, isDuplicate } = await named(request, (conversation) => conversation.post(said.text, said));
    return { ...SUCCESS, event_id: event, duplicate: isDuplicate };
  });
  api.post('/conversations/:id/events/respond_to_confirmation', async (request) => {
    const isAccepted = readConfirmation(request.body);
    await named(request, (conversation) => conversation.confirm(isAccepted));
    return SUCCESS;
  });
  api.get('/conversations/:id/events/search', async (request) => {
    const query = request.query as Query;
    return named(request, ({ events }) => pageOf(events.filter(chosenBy(query)), query, query['sort_order'] === 'TIMESTAMP_DESC'));
  });
  api.get('/conversations/:id/events/count', async (request) => named(request, ({ events }) => events.length));
  api.get('/conversations/:id/events/:event', async (request) => {
    const { event } = request.params as { event: string };
    const found = await named(request, ({ events }) => events.find(({ id }) => id === event));
    if (found === undefined) throw new NotFound(`Event not found: ${event}`);
    return found;
  });
}

export function addShell(api: FastifyInstance, { commands }: Hosted): void {
  api.post('/bash/start_bash_command', async ({ body }) => commands.start(readCommand(body)));
  api.post('/bash/execute_bash_command', async ({ body }) => commands.finished(commands.start(readCommand(body)).id));
  api.get('/bash/bash_events/search', async ({ query }) => {
    const { kind__eq: kind, command_id__eq: command, sort_order: order, ...page } = query as Query;
    return pageOf(commands.search(kind, command), page, order === 'TIMESTAMP_DESC');
  });
  api.post('/file/upload', async ({ query, body, headers }) => {
    await upload((query as Query)['path'], { body: Buffer.isBuffer(body) ? body : Buffer.alloc(0), contentType: headers['content-type'] });
    return SUCCESS;
  });
  api.get('/file/download', async ({ query }, reply) =>
    reply.type('application/octet-stream').send(await download((query as Query)['path'])),
  );
}

/** Works with the conversation that a request names. */
function namedIn(conversations: Conversations) {
  return async <T>({ params }: FastifyRequest, work: (conversation: HostedConversation) => Promise<T> | T): Promise<T> => {
    const { id } = params as { id: string };
    if (!validate(id)) throw new Unprocessable([{ loc: ['path', 'conversation_id'], msg: 'must be a UUID' }]);
    return conversations.with(id.toLowerCase(), (found) => {
      if (found === null) throw new NotFound(`Conversation not found: ${id}`);
      return work(found);
    });
  };
}

/** Times are compared as such: they may be told with another offset. */
function chosenBy({ kind, source, body, timestamp__gte: from, timestamp__lt: to }: Query): (event: ConversationEvent) => boolean {
  const [least, below] = [instant('timestamp__gte', from), instant('timestamp__lt', to)];
  const words = body?.toLowerCase();
  return (event) =>
    (kind === undefined || event.kind === kind) &&
    (source === undefined || event.source === source) &&
    (words === undefined || (textOf(event) ?? '').toLowerCase().includes(words)) &&
    (least === null || Date.parse(event.timestamp) >= least) &&
    (below === null || Date.parse(event.timestamp) < below);
}

function instant(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new InvalidInput(`${name} must be an instant such as 2026-01-01T00:00:00Z`);
  return at;
}

function lastWords(events: HostedConversation['events']): string {
  const last = events.findLast((event) => event.source === 'agent' && textOf(event) !== null);
  return last === undefined ? '' : (textOf(last) ?? '');
}
