import type { Connection, ProviderEvent } from 'throughline/plugin';
import type { Whom } from './github.access.js';
import { askGithub } from './github.call.js';
import { nestsTooDeep, parseField } from './github.form.js';
import type { GithubConnection } from './github.options.js';
import { Refusal } from './github.refusal.js';
import { at, instantAt, isObject } from './github.shape.js';
import { eventKeyOf, uniqueContentOf } from './github.webhook.js';

type Github = Connection<GithubConnection>;

/** A webhook at GitHub that posts to a connection. */
export interface Hook {
  readonly whom: Whom;
  /** Its path in the API. */
  readonly path: string;
  /** How the address ends that its deliveries went to; null: whatever it is, they are this connection's. */
  readonly ending: string | null;
}

/** One attempt of GitHub's to deliver an event, as the list of a webhook shows it. */
export interface Attempt {
  readonly id: string;
  /** The same for every attempt, at every webhook. */
  readonly guid: string;
  /** Milliseconds, by GitHub's clock. */
  readonly at: number;
  /** It was answered with 2xx. */
  readonly isTaken: boolean;
}

interface AttemptPage {
  /** Newest first. */
  readonly attempts: readonly Attempt[];
  /** What time it is at GitHub. */
  readonly now: number;
}

const LONGEST_ID = 255;

/** Null: nothing says which webhook it is, or nobody can ask for it. */
export function hookOf({ org, name, options: { app, token, hook } }: Github): Hook | null {
  if (hook !== undefined) {
    const whom: Whom = hook.owner.includes('/') ? `/repos/${hook.owner}` : `/orgs/${hook.owner}`;
    return app === undefined && token === undefined ? null : { whom, path: `${whom}/hooks/${hook.id}`, ending: null };
  }
  if (app === undefined || app.webhook === false) return null;
  return { whom: 'app', path: '/app/hook', ending: app.webhook === true ? null : `/${org}/${name}` };
}

/** An attempt of each event that nobody has taken, oldest first, back to this time; and what time it is at GitHub. */
export async function missedSince(
  hook: Hook,
  oldest: number,
  isTaken: (attempt: Attempt) => boolean,
  connection: Github,
  signal: AbortSignal,
): Promise<{ readonly missed: readonly Attempt[]; readonly now: number }> {
  const firsts = new Map<string, Attempt>();
  const taken = new Set<string>();
  let now = oldest;
  for await (const page of attemptsOf(hook, connection, signal)) {
    now = Math.max(now, page.now);
    for (const attempt of page.attempts) {
      // Again at the end, which is the place of the oldest.
      firsts.delete(attempt.guid);
      if (attempt.at >= oldest) firsts.set(attempt.guid, attempt);
      if (isTaken(attempt)) taken.add(attempt.guid);
    }
    if (page.attempts.some(({ at: when }) => when < oldest)) break;
  }
  // Of one second there may be many: the list has them in their order.
  const missed = [...firsts.values()].reverse().filter(({ guid }) => !taken.has(guid));
  return { missed: missed.sort((a, b) => a.at - b.at), now };
}

async function* attemptsOf({ whom, path }: Hook, connection: Github, signal: AbortSignal): AsyncGenerator<AttemptPage> {
  let cursor: string | null = null;
  do {
    const values: Readonly<Record<string, unknown>> = { per_page: 100, ...(cursor !== null && { cursor }) };
    const { data, next, now } = await askGithub(whom, { doing: 'read', route: `GET ${path}/deliveries`, values }, connection, signal);
    yield { attempts: Array.isArray(data) ? data.flatMap((each) => attemptOf(each) ?? []) : [], now };
    cursor = next === null ? null : new URL(next, 'https://github.invalid').searchParams.get('cursor');
  } while (cursor !== null);
}

function attemptOf(item: unknown): Attempt | null {
  const [id, guid, status] = [at(item, 'id'), at(item, 'guid'), at(item, 'status_code')];
  const delivered = instantAt(item, 'delivered_at');
  // Ids of deliveries have outgrown what a number can hold; octokit then gives them whole.
  if ((typeof id !== 'number' && typeof id !== 'bigint') || delivered === null) return null;
  if (typeof guid !== 'string' || guid === '' || guid.length > LONGEST_ID) return null;
  return { id: String(id), guid, at: Date.parse(delivered), isTaken: typeof status === 'number' && status >= 200 && status < 300 };
}

/** What an attempt brought; null: GitHub has it no longer, it went to somebody else, or no server would take it. */
export async function eventOf(
  { whom, path, ending }: Hook,
  { id, guid }: Attempt,
  connection: Github,
  signal: AbortSignal,
): Promise<ProviderEvent | null> {
  const question = { doing: 'read', route: `GET ${path}/deliveries/{delivery}`, values: { delivery: id } } as const;
  const { data } = await askGithub(whom, question, connection, signal).catch((error: unknown) => {
    if (error instanceof Refusal && (error.status === 404 || error.status === 410)) return { data: null };
    throw error;
  });
  const content = contentOf(at(data, 'request.payload'));
  if (content === null || !isOurs(at(data, 'url'), ending)) return null;
  const named = at(data, 'event');
  const event = typeof named === 'string' ? named : null;
  const uniqueContent = uniqueContentOf(event, content.body);
  return { deliveryId: guid, eventKey: eventKeyOf(event, content.payload), ...content, uniqueContent, isCopy: true };
}

/** As the webhook would have brought it: plain JSON, whose numbers have the digits that a number can hold. */
function contentOf(given: unknown): { readonly payload: unknown; readonly body: Buffer } | null {
  const told = typeof given === 'string' ? parseField(given) : given;
  const text = isObject(told) ? textOf(told) : null;
  return text === null || nestsTooDeep(text) ? null : { payload: JSON.parse(text) as unknown, body: Buffer.from(text) };
}

/** Null: it nests deeper than can be written. */
function textOf(value: unknown): string | null {
  try {
    return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? Number(each) : each));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function isOurs(url: unknown, ending: string | null): boolean {
  if (ending === null || typeof url !== 'string') return true;
  return URL.canParse(url) && new URL(url).pathname.replace(/\/+$/, '').endsWith(ending);
}
