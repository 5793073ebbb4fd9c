import type { ClaimedDelivery, Connection, Parsed, Preparer, Verdict } from 'throughline/plugin';
import { boardOf } from './board.js';
import { type CurrentIssue, readCurrentIssue } from './current-issue.js';
import { stateContext } from './issue-events.js';
import { known } from './json.js';
import type { LinearConnection } from './linear.options.js';
import { issueIdOf } from './linear-subject.js';

/** Reads the issue before each try of a turn: whether it is still on the board, and what its life is by now. */
export class LinearPreparer implements Preparer<LinearConnection> {
  /** Without a token nothing can be read, and events are taken at their word. */
  usedBy({ options }: Connection<LinearConnection>): boolean {
    return options.token !== undefined;
  }

  async prepare({ parsed }: ClaimedDelivery, connection: Connection<LinearConnection>, signal: AbortSignal): Promise<Verdict> {
    const id = issueIdOf(parsed.subject);
    if (id === undefined) return { verdict: 'proceed' };
    const current = await readCurrentIssue(id, connection, signal);
    if (current !== null) return verdictAbout(current, parsed, connection.options);
    return parsed.kind === 'lifecycle' ? { verdict: 'proceed' } : { verdict: 'ignore', reason: 'issue_not_found' };
  }
}

function verdictAbout(current: CurrentIssue, parsed: Parsed, options: LinearConnection): Verdict {
  const read = { ...known({ observation: current.state }), context: stateContext(current.issue, options) };
  const board = boardOf(current, options);
  if (board === 'off_board') return { ...read, verdict: 'ignore', reason: 'off_board' };
  if (parsed.context?.isReconciled === true) return { ...read, verdict: 'ignore', reason: 'reconciled' };
  const placed = board === 'anywhere' ? read : { ...read, workspace: board.workspace };
  return parsed.context?.projectMove === true
    ? { ...placed, verdict: 'ignore', reason: 'project_move' }
    : { ...placed, verdict: 'proceed' };
}
