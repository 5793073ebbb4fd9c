import type { Json, Message, Seen, Thread } from './shapes.js';
import { Refusal, type World } from './world.js';

type Handler = (world: World, ids: string[], seen: Seen, rest: RestState) => unknown;

/** What the API keeps beside the server itself. */
export class RestState {
  readonly nonces = new Map<string, Message>();
  readonly commands: Json[] = [];
  /** First and later answers to interactions, by their token. */
  readonly answers = new Map<string, Json[]>();
}

const ROUTES: readonly (readonly [method: string, path: RegExp, handler: Handler])[] = [
  ['GET', /^\/users\/@me$/, (world) => world.bot],
  ['GET', /^\/users\/@me\/guilds$/, (world) => [{ id: world.guild, name: 'the server' }]],
  ['GET', /^\/guilds\/(\d+)\/channels$/, (world) => [...world.channels.values()].filter((each) => !('thread_metadata' in each))],
  ['GET', /^\/guilds\/(\d+)\/threads\/active$/, (world) => ({ threads: world.active(), members: [] })],
  ['GET', /^\/channels\/(\d+)\/threads\/archived\/public$/, archived],
  ['GET', /^\/channels\/(\d+)$/, (world, [id = '']) => shown(world, id)],
  ['PATCH', /^\/channels\/(\d+)$/, (world, [id = ''], { body }) => changed(world, world.thread(id), body)],
  ['GET', /^\/channels\/(\d+)\/messages$/, (world, [id = ''], { query }) => history(world, id, query)],
  ['GET', /^\/channels\/(\d+)\/messages\/(\d+)$/, (world, [channel = '', id = '']) => world.message(channel, id)],
  ['POST', /^\/channels\/(\d+)\/messages$/, post],
  ['PATCH', /^\/channels\/(\d+)\/messages\/(\d+)$/, edit],
  ['DELETE', /^\/channels\/(\d+)\/messages\/(\d+)$/, remove],
  ['POST', /^\/channels\/(\d+)\/messages\/(\d+)\/threads$/, begin],
  ['PUT', /^\/channels\/(\d+)\/messages\/(\d+)\/reactions\/([^/]+)\/@me$/, react],
  ['GET', /^\/applications\/(\d+)\/commands$/, (_world, _ids, _seen, rest) => rest.commands],
  ['POST', /^\/applications\/(\d+)\/commands$/, upsert],
  ['POST', /^\/interactions\/(\d+)\/([^/]+)\/callback$/, callback],
  ['PATCH', /^\/webhooks\/(\d+)\/([^/]+)\/messages\/@original$/, fillIn],
  ['POST', /^\/webhooks\/(\d+)\/([^/]+)$/, (_world, [, token = ''], { body }, rest) => answersOf(rest, token).push(body)],
];

/** Paths that carry a token of their own. */
export function needsBot(path: string): boolean {
  return !path.startsWith('/interactions/') && !path.startsWith('/webhooks/');
}

export function perform(world: World, seen: Seen, rest: RestState): unknown {
  for (const [method, path, handler] of ROUTES) {
    const match = method === seen.method ? path.exec(seen.path) : null;
    if (match) return handler(world, match.slice(1), seen, rest) ?? null;
  }
  throw new Refusal(404, 0, '404: Not Found');
}

function shown(world: World, id: string): unknown {
  world.need('VIEW_CHANNEL');
  return world.channel(id);
}

/** By the time at which they were archived, the newest first; at most `limit` of those before a time. */
function archived(world: World, [id = '']: string[], { query }: Seen): unknown {
  world.need('VIEW_CHANNEL');
  world.channel(id);
  const [limit, before] = [Number(query.get('limit') ?? 50), query.get('before')];
  const at = ({ thread_metadata }: Thread) => Date.parse(thread_metadata.archive_timestamp);
  const all = world
    .threads()
    .filter((each) => each.parent_id === id && each.thread_metadata.archived && (before === null || at(each) < Date.parse(before)))
    .sort((a, b) => at(b) - at(a));
  return { threads: all.slice(0, limit), members: [], has_more: all.length > limit };
}

function changed(world: World, thread: Thread, body: Json): Thread {
  world.change(thread, body);
  return thread;
}

function history(world: World, id: string, query: URLSearchParams): Message[] {
  world.need('VIEW_CHANNEL');
  world.channel(id);
  const [limit, before, after] = [Number(query.get('limit') ?? 50), query.get('before'), query.get('after')];
  const all = (world.messages.get(id) ?? []).filter(
    (each) => (!before || BigInt(each.id) < BigInt(before)) && (!after || BigInt(each.id) > BigInt(after)),
  );
  // The newest first; after an id, the oldest of those that follow it.
  return (after ? all.slice(0, limit) : all.slice(-limit)).toReversed();
}

function post(world: World, [id = '']: string[], { body }: Seen, rest: RestState): Message {
  world.need('SEND_MESSAGES');
  const channel = world.channel(id);
  if ((channel as Partial<Thread>).thread_metadata?.locked) throw new Refusal(403, 160005, 'Thread is locked');
  checkBody(body);
  const nonce = String(body.nonce);
  const present = body.enforce_nonce === true ? rest.nonces.get(nonce) : undefined;
  if (present) return present;
  const message = world.write(id, {
    content: String(body.content),
    author: world.bot,
    nonce,
    components: (body.components ?? []) as unknown[],
  });
  rest.nonces.set(nonce, message);
  return message;
}

function edit(world: World, [channel = '', id = '']: string[], { body }: Seen): Message {
  const message = world.message(channel, id);
  if ((world.channel(channel) as Partial<Thread>).thread_metadata?.archived) throw new Refusal(400, 50083, 'Thread is archived');
  if (message.author.id !== world.bot.id) throw new Refusal(403, 50005, 'Cannot edit a message authored by another user');
  checkBody(body);
  message.content = String(body.content);
  message.components = (body.components ?? []) as unknown[];
  message.edited_timestamp = new Date().toISOString();
  return message;
}

function remove(world: World, [channel = '', id = '']: string[]): null {
  world.message(channel, id);
  world.messages.set(
    channel,
    (world.messages.get(channel) ?? []).filter((each) => each.id !== id),
  );
  return null;
}

function begin(world: World, [channel = '', id = '']: string[], { body }: Seen): Thread {
  world.need('CREATE_PUBLIC_THREADS');
  const message = world.message(channel, id);
  const { name, auto_archive_duration: silence } = body;
  if (typeof name !== 'string' || name.trim() === '' || name.length > 100) throw new Refusal(400, 50035, 'Invalid Form Body');
  if (![60, 1440, 4320, 10080].includes(Number(silence))) throw new Refusal(400, 50035, 'Invalid Form Body');
  if (message.thread !== undefined) throw new Refusal(400, 160004, 'A thread has already been created for this message');
  if (world.active().length >= world.mostActive) throw new Refusal(400, 160006, 'Maximum number of active threads reached');
  const thread = world.addThread(name, world.bot.id, id, channel);
  message.thread = { id };
  return thread;
}

function react(world: World, [channel = '', id = '', emoji = '']: string[]): null {
  world.need('ADD_REACTIONS');
  world.message(channel, id);
  world.reactions.push(`${id} ${decodeURIComponent(emoji)}`);
  return null;
}

function upsert(_world: World, _ids: string[], { body }: Seen, rest: RestState): Json {
  const kept = rest.commands.filter(({ name }) => name !== body.name);
  rest.commands.splice(0, rest.commands.length, ...kept, body);
  return body;
}

function callback(_world: World, [, token = '']: string[], { body }: Seen, rest: RestState): null {
  const answers = answersOf(rest, token);
  if (answers.length > 0) throw new Refusal(400, 40060, 'Interaction has already been acknowledged.');
  answers.push(body);
  return null;
}

function fillIn(_world: World, [, token = '']: string[], { body }: Seen, rest: RestState): Json {
  if (token === 'expired') throw new Refusal(401, 50027, 'Invalid Webhook Token');
  if (answersOf(rest, token).length === 0) throw new Refusal(404, 10008, 'Unknown Message');
  answersOf(rest, token).push(body);
  return body;
}

function answersOf(rest: RestState, token: string): Json[] {
  const answers = rest.answers.get(token) ?? [];
  rest.answers.set(token, answers);
  return answers;
}

function checkBody({ content, nonce, allowed_mentions: mentions }: Json): void {
  if (typeof content !== 'string' || content.length > 2000) throw new Refusal(400, 50035, 'Invalid Form Body');
  if (content === '') throw new Refusal(400, 50006, 'Cannot send an empty message');
  if (nonce !== undefined && String(nonce).length > 25) throw new Refusal(400, 50035, 'Invalid Form Body');
  // Discord would notify whoever is named; nobody of ours may forget to forbid it.
  if (JSON.stringify(mentions) !== '{"parse":[]}') throw new Refusal(400, 50035, 'the test wants no mentions');
}
