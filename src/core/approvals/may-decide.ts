import type { Author } from '../../plugin/index.js';
import { authorRefusal, isNamed } from '../routing/author-policy.js';
import type { Route } from '../routing/route.js';

/** Whom configuration and channel name for a conversation. */
export interface Deciders {
  /** Null: it came by none, or by one that is not configured any more. */
  readonly route: Pick<Route, 'approvers' | 'authors'> | null;
  /** `approvers` of its workspace. */
  readonly ofWorkspace: readonly string[];
  /** Roles of those who belong to a channel in which anybody may write; null: whoever sees its threads does. */
  readonly insiders: readonly string[] | null;
}

/** Whom the route names, else the workspace; where neither does, every person of the channel whom the route lets in. */
export function mayDecide({ route, ofWorkspace, insiders }: Deciders, author: Author): boolean {
  const named = route !== null && route.approvers.length > 0 ? route.approvers : ofWorkspace;
  if (named.length > 0) return isNamed(named, author);
  if (author.isBot || author.isSelf === true || route === null || authorRefusal(route.authors, author) !== null) return false;
  return route.authors.allow.length > 0 || isInside(insiders, author);
}

/** Whoever belongs to the channel, and whomever the configuration names for anything. */
export function mayCommand({ route, ofWorkspace, insiders }: Deciders, author: Author): boolean {
  const named = [...ofWorkspace, ...(route?.approvers ?? []), ...(route?.authors.allow ?? [])];
  return isInside(insiders, author) || isNamed(named, author);
}

function isInside(insiders: Deciders['insiders'], { roles = [] }: Author): boolean {
  return insiders === null || roles.some((role) => insiders.includes(role));
}
