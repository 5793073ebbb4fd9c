import type { Connection } from 'throughline/plugin';
import { callGithub } from './github.call.js';
import { markerOf } from './github.marker.js';
import type { GithubConnection } from './github.options.js';
import { at } from './github.shape.js';
import type { Numbered } from './github.thread.js';

const PAGE = 100;
const MOST_PAGES = 100;

/**
 * The comment that carries the key: the first one, since whoever copied the marker did so later. Null: it is surely not there.
 * `since`: an instant before which it was not written.
 */
export function findComment(
  place: Numbered,
  key: string,
  since: string | null,
  connection: Connection<GithubConnection>,
  signal: AbortSignal,
): Promise<unknown> {
  const route = 'GET /repositories/{repository}/issues/{number}/comments';
  return findMarked(route, { ...place, ...(since !== null && { since }) }, key, connection, signal);
}

/** The review that carries the key. */
export function findReview(place: Numbered, key: string, connection: Connection<GithubConnection>, signal: AbortSignal): Promise<unknown> {
  return findMarked('GET /repositories/{repository}/pulls/{number}/reviews', place, key, connection, signal);
}

async function findMarked(
  route: string,
  values: Numbered & { readonly since?: string },
  key: string,
  connection: Connection<GithubConnection>,
  signal: AbortSignal,
): Promise<unknown> {
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { data } = await callGithub('read', route, { ...values, page, per_page: PAGE }, connection, signal);
    const found = Array.isArray(data) ? data : [];
    const marked = found.find((item) => markerOf(at(item, 'body'))?.key === key);
    if (marked !== undefined) return marked;
    if (found.length < PAGE) return null;
  }
  throw new Error(`there are more than ${MOST_PAGES * PAGE} comments, too many to search`);
}
