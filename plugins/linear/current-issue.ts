import { type Connection, ProviderFault, type ReadState } from 'throughline/plugin';
import { type Issue, readIssue } from './issue.js';
import { observeCarried } from './issue-state.js';
import { fields, word } from './json.js';
import { readLinear } from './linear.client.js';
import type { LinearConnection } from './linear.options.js';

/** What reading an issue gives, in the names that its webhooks use too. */
export const ISSUE_FIELDS =
  'id identifier title description url createdAt updatedAt archivedAt trashed state { id name type } project { id } team { id }';
const ONE = `query ($id: String!) { issue(id: $id) { ${ISSUE_FIELDS} } }`;

/** An issue as the connection's own account reads it. */
export interface CurrentIssue {
  readonly issue: Issue;
  readonly projectId: string | undefined;
  /** Nothing when its state has a type that is not known. */
  readonly state: ReadState | undefined;
}

/** Null: that account sees no such issue. Throws `ProviderFault`. */
export async function readCurrentIssue(
  id: string,
  connection: Connection<LinearConnection>,
  signal: AbortSignal,
): Promise<CurrentIssue | null> {
  const answer = await readLinear(ONE, { id }, connection, signal);
  const found = fields(answer?.issue);
  const issue = readIssue(found);
  if (found === undefined || issue === null) return null;
  return { issue, projectId: word(fields(found.project)?.id), state: stateOf(issue) };
}

function stateOf(issue: Issue): ReadState | undefined {
  const seen = observeCarried(issue);
  if (seen === undefined) return undefined;
  // Without its revision nobody could tell whether it is older than what is known.
  if (seen.revision === null) throw new ProviderFault('Linear answered an issue without `updatedAt`', 'permanent');
  const { state, reason, revision } = seen;
  return { state, revision, ...(reason !== undefined && { reason }) };
}
