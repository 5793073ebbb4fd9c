import { type Connection, type EffectReader, type Evidence, instantRevision, type UnknownEffect } from 'throughline/plugin';
import { idsOfComment, idsOfState } from './evidence.js';
import { type Fields, fields } from './json.js';
import { readLinear } from './linear.client.js';
import type { LinearConnection } from './linear.options.js';
import { COMMENT, moveIssue, STATE, setState } from './linear.tools.js';
import { issueOf } from './linear-subject.js';

type Found = Evidence | 'absent' | 'unknown';

/** Linear answers within seconds; clocks differ. */
const SETTLED_MS = 5 * 60_000;
const MOVES: ReadonlySet<string> = new Set([setState.name, moveIssue.name]);
const ONE_COMMENT = `query ($id: String!) { comment(id: $id) { ${COMMENT} } }`;
const ONE_ISSUE = `query ($id: String!) { issue(id: $id) { ${STATE} } }`;

/** Finds a comment by the id that it was to have, and a state by how the issue stands. */
export const linearEffects: EffectReader<LinearConnection> = {
  async find(effect, signal): Promise<Found> {
    if (effect.marker !== null) return findComment(effect.marker, effect, signal);
    return MOVES.has(effect.tool) ? findState(effect, signal) : 'unknown';
  },
};

async function findComment(id: string, { connection, attemptedAt }: UnknownEffect<LinearConnection>, signal: AbortSignal): Promise<Found> {
  const found = await read(ONE_COMMENT, id, connection, signal);
  if (found !== null) return known(idsOfComment(fields(found.comment)));
  return Date.now() - Date.parse(attemptedAt) > SETTLED_MS ? 'absent' : 'unknown';
}

async function findState(
  { connection, scope, attemptedAt, isInput }: UnknownEffect<LinearConnection>,
  signal: AbortSignal,
): Promise<Found> {
  if (scope.subject === null) return 'unknown';
  const issue = fields((await read(ONE_ISSUE, issueOf(scope.subject).id, connection, signal))?.issue);
  if (isInput({ stateId: fields(issue?.state)?.id })) return known(idsOfState(issue));
  // Another state is no proof: it may have been changed since, unless nothing was.
  const touched = instantRevision(issue?.updatedAt);
  const isUntouched = touched !== null && Date.parse(touched) < Date.parse(attemptedAt) - SETTLED_MS;
  return isUntouched && Date.now() - Date.parse(attemptedAt) > SETTLED_MS ? 'absent' : 'unknown';
}

function read(document: string, id: string, connection: Connection<LinearConnection>, signal: AbortSignal): Promise<Fields | null> {
  return readLinear(document, { id }, connection, signal);
}

function known(ids: Evidence['ids'] | null): Evidence | 'unknown' {
  return ids === null ? 'unknown' : { ids };
}
