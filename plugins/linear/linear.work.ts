import type { ClaimedDelivery, Connection, Parsed, TaskDesk, TrustedContext, TrustedProcessor, Verdict } from 'throughline/plugin';
import { boardOf } from './board.js';
import { type CurrentIssue, readCurrentIssue } from './current-issue.js';
import { known } from './json.js';
import type { LinearConnection } from './linear.options.js';
import { moveIssue } from './linear.tools.js';
import { issueIdOf } from './linear-subject.js';
import { placeOf } from './work-board.js';
import { type Ruling, rule } from './work-rules.js';
import { executeText, planText } from './work-texts.js';

type Linear = Connection<LinearConnection>;

const PROCEED: Verdict = { verdict: 'proceed' };

/**
 * Steers the work on issues by their boards. The issue as it stands when its event is at the head decides, never the event's own state:
 * what was missed, or came late, leads to the same.
 */
export class LinearWork implements TrustedProcessor<LinearConnection> {
  usedBy({ options }: Linear): boolean {
    return options.work !== undefined;
  }

  async process(event: ClaimedDelivery, context: TrustedContext<LinearConnection>): Promise<Verdict> {
    const { connection, signal, tasks } = context;
    const change = issueChangeOf(event.parsed);
    const id = issueIdOf(event.parsed.subject);
    if (change === null || id === undefined || tasks === undefined) return PROCEED;
    const current = await readCurrentIssue(id, connection, signal);
    // What has ended, is gone or belongs to no board is the preparer's.
    if (current === null || current.state?.state === 'terminal' || boardOf(current, connection.options) === 'off_board') return PROCEED;
    const request = event.identity.deliveryId;
    const place = placeOf(current.issue.state?.id, connection.options);
    const task = await tasks.read();
    const ruling = rule({ ...change, column: place?.column ?? null, task: task?.state ?? null, isRepeat: task?.request === request });
    if (ruling === null) return PROCEED;
    await carryOut(ruling, { current, request, initiator: initiatorOf(event.parsed), options: connection.options, tasks });
    return { verdict: 'ignore', reason: 'owned_by_controller', ...known({ observation: current.state }) };
  }
}

interface Order {
  readonly current: CurrentIssue;
  readonly request: string;
  readonly initiator: string;
  readonly options: LinearConnection;
  readonly tasks: TaskDesk<LinearConnection>;
}

/** Every part may be done again: a crash before the verdict is stored repeats them all. */
async function carryOut({ step, tell, starts }: Ruling, { current: { issue }, request, initiator, options, tasks }: Order): Promise<void> {
  const taken = step === undefined || (await tasks.take(step, { request, initiator })) !== null;
  const place = placeOf(issue.state?.id, options);
  if (!taken || place === null) return;
  if (starts) await tasks.write(moveIssue, { stateId: place.board.inProgress });
  if (tell === undefined) return;
  await tasks.tell({ id: `${tell}:${request}`, text: tell === 'plan' ? planText(issue, place.board) : executeText(issue, place.board) });
}

/** Null: the event is about no change of an issue: a comment, for example, which joins what goes on. */
function issueChangeOf({ context }: Parsed): { readonly isMove: boolean; readonly byUser: boolean } | null {
  if (context?.isIssueChange !== true) return null;
  return { isMove: context.isMove === true, byUser: context.byUser === true };
}

function initiatorOf({ author }: Parsed): string {
  return author === undefined ? 'linear' : `linear:${author.id}`;
}
