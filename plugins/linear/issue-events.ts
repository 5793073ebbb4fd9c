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

type About = AboutIssue & { readonly author?: Author; readonly observation?: Observation };

/** What the reconciliation says: no webhook of Linear has this action. */
export const RECONCILE = 'reconcile';
const ACTIONS: ReadonlySet<string> = new Set(['create', 'update', 'remove', 'restore']);

/** `Issue`: create, update, remove, restore; and how an issue was found to be. */
export function parseIssue(envelope: Envelope, options: LinearConnection): Parsed {
  const issue = readIssue(envelope.data);
  if (!issue) return recorded('invalid_shape', envelope);
  if (envelope.action === RECONCILE) return parseReconciled(envelope, issue);
  const observation = observeChange(envelope, issue);
  const about: About = { ...aboutIssue(envelope, issue), ...known({ author: actorOf(envelope, options), observation }) };
  if (!ACTIONS.has(envelope.action)) return { ...about, kind: 'recorded', reason: 'unknown_event' };
  if (saysOffBoard(envelope.data, options)) return { ...about, kind: 'ignored', reason: 'off_board', context: stateContext(issue) };
  if (observation?.state === 'terminal') return lifecycle(about, issue, observation);
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
  return { ...about, kind: 'prompt', text, ...attachmentsOf(text, options), ...known({ messageKey: creationKey(issue, options) }) };
}

/** The history tells a creation again, in other words: one message, one key. */
function creationKey({ id }: Issue, { token }: LinearConnection): string | undefined {
  return token === undefined ? undefined : messageKeyOf(`issue ${id}`).messageKey;
}

/** What was found by asking says no words; it ends and opens what had not heard of it. */
function parseReconciled(envelope: Envelope, issue: Issue): Parsed {
  const observation = observeCarried(issue);
  return { ...aboutIssue(envelope, issue), ...known({ observation }), kind: 'ignored', reason: 'reconciled', context: stateContext(issue) };
}

function parseUpdate(about: About, issue: Issue, envelope: Envelope, options: LinearConnection): Parsed {
  const { updatedFrom } = envelope;
  const changes = substantialChanges(updatedFrom);
  if (about.observation?.transition && changes.length === 0) return { ...about, kind: 'prompt', text: 'The issue was restored.' };
  if (changes.length === 0) return { ...about, kind: 'ignored', reason: 'bookkeeping' };
  const text = describeChanges(issue, changes, updatedFrom);
  if (isProjectMove(changes)) return parseProjectMove(about, text, options);
  return { ...about, kind: 'prompt', text, ...evidenceOfState(envelope, issue) };
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
  if (saysOffBoard(issue.properties, options)) return { ...about, kind: 'ignored', reason: 'off_board', context: stateContext(issue) };
  if (observation?.state === 'terminal') return lifecycle(about, issue, observation);
  const deadline = typeof issue.properties.slaBreachesAt === 'string' ? ` (${issue.properties.slaBreachesAt})` : '';
  if (envelope.action === 'breached') return { ...about, kind: 'prompt', text: `The issue's SLA is breached${deadline}.` };
  if (envelope.action === 'highRisk') return { ...about, kind: 'prompt', text: `The issue's SLA is close to its deadline${deadline}.` };
  return { ...about, kind: 'ignored', reason: 'bookkeeping' };
}

function lifecycle(about: About, issue: Issue, observation: Observation): Parsed {
  return { ...about, kind: 'lifecycle', observation, context: stateContext(issue) };
}

/** What settling an end needs to know of it, as it was when it came. */
export function stateContext({ state }: Issue): Readonly<Record<string, unknown>> {
  return known({ stateId: state?.id, stateType: state?.type });
}
