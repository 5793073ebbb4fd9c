import type { Author, AuthorPolicy, NoMatchReason } from './route.js';

export interface AuthorRefusal {
  readonly reason: Extract<NoMatchReason, `author_${string}`>;
  readonly detail: string;
}

const ROLE = 'role:';
/** Digits alone are an id, also where somebody is called so. */
const ID = /^\d+$/;

/** Why the policy keeps an event of this author away, or null. An event without author passes unless the route names who may. */
export function authorRefusal(policy: AuthorPolicy, author: Author | undefined): AuthorRefusal | null {
  if (author?.isSelf && !policy.allowSelf) return { reason: 'author_self', detail: `${described(author)} is our own identity` };
  // Our own identity is a bot to most providers: who allows the one means it.
  if (author?.isBot && !author.isSelf && !policy.allowBots) return { reason: 'author_bot', detail: `${described(author)} is a bot` };
  if (policy.allow.length === 0 || (author && isNamed(policy.allow, author))) return null;
  return {
    reason: 'author_not_allowed',
    detail: `${author ? described(author) : 'an unknown author'} is not among ${policy.allow.join(', ')}`,
  };
}

/** Whether one of the entries names the author. */
export function isNamed(entries: readonly string[], author: Author): boolean {
  return entries.some((entry) => names(entry, author));
}

function names(entry: string, author: Author): boolean {
  if (entry.startsWith(ROLE)) return author.roles?.includes(entry.slice(ROLE.length)) === true;
  return entry === author.id || (entry === handleOf(author) && !ID.test(entry));
}

/** Null: a name that people choose lets nobody in, for whoever likes can be called like somebody who may. */
function handleOf({ name, handle = name }: Author): string | null {
  return handle;
}

function described({ id, name, roles = [] }: Author): string {
  return `${name} (${[id, ...roles.map((role) => ROLE + role)].join(', ')})`;
}
