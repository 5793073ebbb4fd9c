import type { Author, AuthorPolicy, NoMatchReason } from './route.js';

export interface AuthorRefusal {
  readonly reason: Extract<NoMatchReason, `author_${string}`>;
  readonly detail: string;
}

const ROLE = 'role:';

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
  return entry === author.id || entry === author.name;
}

function described({ id, name, roles = [] }: Author): string {
  return `${name} (${[id, ...roles.map((role) => ROLE + role)].join(', ')})`;
}
