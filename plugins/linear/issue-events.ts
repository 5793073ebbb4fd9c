import type { Author, Observation, Parsed } from 'throughline/plugin';
import { actorOf } from './author.js';
import { saysOffBoard } from './board.js';
import { type Envelope, recorded } from './envelope.js';
import { evidenceOfState } from './evidence.js';
import { type AboutIssue, aboutIssue, type Issue, readIssue, wordsOf } from './issue.js';
import { describeChanges, isProjectMove, substantialChanges } from './issue-changes.js';
import { observeCarried, observeChange } from './issue-state.js';
import { fields, known } from './json.js';
import { attachmentsOf } from './linear.attachments.js';
import type { LinearConnection } from './linear.options.js';
import { messageKeyOf } from './message-key.js';
import { placeOf } from './work-board.js';

type About = AboutIssue & { readonly author?: Author; readonly observation?: Observation };

/** What the reconciliation says: no webhook of Linear has this action. */
export const RECONCILE = 'reconcile';
const ACTIONS: ReadonlySet<string> = new Set(['create', 'update', 'remove', 'restore']);

/** `Issue`: create, update, remove, restore; and how an issue was found to be. */
export function parseIssue(envelope: Envelope, options: LinearConnection): Parsed {
  const issue = readIssue(envelope.data);
  if (!issue) return recorded('invalid_shape', envelope);
  if (envelope.action === RECONCILE) return parseReconciled(envelope, issue, options);
  const observation = observeChange(envelope, issue);
  const about: About = { ...aboutIssue(envelope, issue), ...known({ author: actorOf(envelope, options), observation }) };
  if (!ACTIONS.has(envelope.action)) return { ...about, kind: 'recorded', reason: 'unknown_event' };
  if (saysOffBoard(envelope.data, options))
    return { ...about, kind: 'ignored', reason: 'off_board', context: stateContext(issue, options) };
  if (observation?.state === 'terminal') return lifecycle(about, issue, observation, options);
  if (envelope.action === 'create') return parseCreation(about, issue, options);
  return envelope.action === 'update'
    ? parseUpdate(about, issue, envelope, options)
    : { ...about, kind: 'prompt', text: 'The issue was restored.' };
}

function parseCreation(about: About, issue: Issue, options: LinearConnection): Parsed {
  const { proposalStateId } = options;
  if (proposalStateId !== undefined && (issue.state?.id ?? issue.properties.stateId) === proposalStateId) {
    return { ...about, kind: 'ignored', reason: 'proposal' };
  }
  const text = wordsOf(issue);
  const beside = known({ messageKey: creationKey(issue, options), context: changeContext(about, true, options) });
  return { ...about, kind: 'prompt', text, ...attachmentsOf(text, options), ...beside };
}

/** The history tells a creation again, in other words: one message, one key. */
function creationKey({ id }: Issue, { token }: LinearConnection): string | undefined {
  return token === undefined ? undefined : messageKeyOf(`issue ${id}`).messageKey;
}

/** What was found by asking says no words; it ends and opens what had not heard of it, and a column may be news to the controller. */
function parseReconciled(envelope: Envelope, issue: Issue, options: LinearConnection): Parsed {
  const observation = observeCarried(issue);
  const context = stateContext(issue, options);
  const about = { ...aboutIssue(envelope, issue), ...known({ observation }) };
  const isSteered = observation?.state === 'open' && placeOf(issue.state?.id, options) !== null;
  if (!isSteered) return { ...about, kind: 'ignored', reason: 'reconciled', context };
  const found = { isIssueChange: true, isMove: false, byUser: false, isReconciled: true };
  return { ...about, kind: 'prompt', text: `Found in the state ${issue.state?.name ?? 'unknown'}.`, context: { ...context, ...found } };
}

function parseUpdate(about: About, issue: Issue, envelope: Envelope, options: LinearConnection): Parsed {
  const { updatedFrom } = envelope;
  const changes = substantialChanges(updatedFrom);
  if (about.observation?.transition && changes.length === 0) return { ...about, kind: 'prompt', text: 'The issue was restored.' };
  if (changes.length === 0) return { ...about, kind: 'ignored', reason: 'bookkeeping' };
  const text = describeChanges(issue, changes, updatedFrom);
  if (isProjectMove(changes)) return parseProjectMove(about, text, options);
  const context = changeContext(about, Object.hasOwn(updatedFrom, 'stateId'), options);
  return { ...about, kind: 'prompt', text, ...evidenceOfState(envelope, issue), ...known({ context }) };
}

/** What the controller of the work has to know of a change, where there is one. */
function changeContext({ author }: About, isMove: boolean, { work }: LinearConnection): Readonly<Record<string, unknown>> | undefined {
  return work && { isIssueChange: true, isMove, byUser: author !== undefined && !author.isBot };
}

/** Wakes nobody. Where projects have workspaces, the preparer moves the conversation, in its place, and then ignores it. */
function parseProjectMove(about: About, text: string, { projects, token }: LinearConnection): Parsed {
  if (projects === undefined || token === undefined) return { ...about, kind: 'ignored', reason: 'project_move' };
  return { ...about, kind: 'prompt', continueOnly: true, text, context: { projectMove: true } };
}

/** `IssueSLA`: set, highRisk, breached. The body carries the whole issue. */
export function parseIssueSla(envelope: Envelope, options: LinearConnection): Parsed {
  const issue = readIssue(fields(envelope.body.issueData));
  if (!issue) return recorded('invalid_shape', envelope);
  const observation = observeCarried(issue);
  const about: About = { ...aboutIssue(envelope, issue), ...known({ observation }) };
  if (saysOffBoard(issue.properties, options))
    return { ...about, kind: 'ignored', reason: 'off_board', context: stateContext(issue, options) };
  if (observation?.state === 'terminal') return lifecycle(about, issue, observation, options);
  const deadline = typeof issue.properties.slaBreachesAt === 'string' ? ` (${issue.properties.slaBreachesAt})` : '';
  if (envelope.action === 'breached') return { ...about, kind: 'prompt', text: `The issue's SLA is breached${deadline}.` };
  if (envelope.action === 'highRisk') return { ...about, kind: 'prompt', text: `The issue's SLA is close to its deadline${deadline}.` };
  return { ...about, kind: 'ignored', reason: 'bookkeeping' };
}

function lifecycle(about: About, issue: Issue, observation: Observation, options: LinearConnection): Parsed {
  return { ...about, kind: 'lifecycle', observation, context: stateContext(issue, options) };
}

/** What settling an end needs to know of it, as it was when it came. */
export function stateContext({ state }: Issue, options: LinearConnection): Readonly<Record<string, unknown>> {
  const isDone = options.work && placeOf(state?.id, options)?.column === 'done';
  return known({ stateId: state?.id, stateType: state?.type, isDone });
}
