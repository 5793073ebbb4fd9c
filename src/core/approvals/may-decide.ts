import type { Author } from '../../plugin/index.js';
import { authorRefusal, isNamed } from '../routing/author-policy.js';
import type { Route } from '../routing/route.js';

/** Whom the configuration names for a conversation. */
export interface Deciders {
  /** Null: it came by none, or by one that is not configured any more. */
  readonly route: Pick<Route, 'approvers' | 'authors'> | null;
  /** `approvers` of its workspace. */
  readonly ofWorkspace: readonly string[];
}

/** Whom the route names, else the workspace; where neither does, every person whom the route lets in. */
export function mayDecide({ route, ofWorkspace }: Deciders, author: Author): boolean {
  const named = route !== null && route.approvers.length > 0 ? route.approvers : ofWorkspace;
  if (named.length > 0) return isNamed(named, author);
  return !author.isBot && author.isSelf !== true && route !== null && authorRefusal(route.authors, author) === null;
}
