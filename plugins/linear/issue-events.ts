import type { Author, Observation, Parsed } from 'throughline/plugin';
import { actorOf } from './author.js';
import { type Envelope, recorded } from './envelope.js';
import { evidenceOfState } from './evidence.js';
import { type AboutIssue, aboutIssue, type Issue, readIssue, wordsOf } from './issue.js';
import { describeChanges, isProjectMove, substantialChanges } from './issue-changes.js';
import { observeCarried, observeChange } from './issue-state.js';
import { fields, known } from './json.js';
import type { LinearConnection } from './linear.options.js';

type About = AboutIssue & { readonly author?: Author; readonly observation?: Observation };

const ACTIONS: ReadonlySet<string> = new Set(['create', 'update', 'remove', 'restore']);

/** `Issue`: create, update, remove, restore. */
export function parseIssue(envelope: Envelope, options: LinearConnection): Parsed {
  const issue = readIssue(envelope.data);
  if (!issue) return recorded('invalid_shape', envelope);
  const observation = observeChange(envelope, issue);
  const about: About = { ...aboutIssue(envelope, issue), ...known({ author: actorOf(envelope, options), observation }) };
  if (!ACTIONS.has(envelope.action)) return { ...about, kind: 'recorded', reason: 'unknown_event' };
  if (observation?.state === 'terminal') return lifecycle(about, issue, observation);
  if (envelope.action === 'create') return parseCreation(about, issue, options);
  return envelope.action === 'update' ? parseUpdate(about, issue, envelope) : { ...about, kind: 'prompt', text: 'The issue was restored.' };
}

function parseCreation(about: About, issue: Issue, { proposalStateId }: LinearConnection): Parsed {
  if (proposalStateId !== undefined && (issue.state?.id ?? issue.properties.stateId) === proposalStateId) {
    return { ...about, kind: 'ignored', reason: 'proposal' };
  }
  return { ...about, kind: 'prompt', text: wordsOf(issue) };
}

function parseUpdate(about: About, issue: Issue, envelope: Envelope): Parsed {
  const { updatedFrom } = envelope;
  const changes = substantialChanges(updatedFrom);
  if (about.observation?.transition && changes.length === 0) return { ...about, kind: 'prompt', text: 'The issue was restored.' };
  if (changes.length === 0) return { ...about, kind: 'ignored', reason: 'bookkeeping' };
  if (isProjectMove(changes)) return { ...about, kind: 'ignored', reason: 'project_move' };
  return { ...about, kind: 'prompt', text: describeChanges(issue, changes, updatedFrom), ...evidenceOfState(envelope, issue) };
}

/** `IssueSLA`: set, highRisk, breached. The body carries the whole issue. */
export function parseIssueSla(envelope: Envelope): Parsed {
  const issue = readIssue(fields(envelope.body.issueData));
  if (!issue) return recorded('invalid_shape', envelope);
  const observation = observeCarried(issue);
  const about: About = { ...aboutIssue(envelope, issue), ...known({ observation }) };
  if (observation?.state === 'terminal') return lifecycle(about, issue, observation);
  const deadline = typeof issue.properties.slaBreachesAt === 'string' ? ` (${issue.properties.slaBreachesAt})` : '';
  if (envelope.action === 'breached') return { ...about, kind: 'prompt', text: `The issue's SLA is breached${deadline}.` };
  if (envelope.action === 'highRisk') return { ...about, kind: 'prompt', text: `The issue's SLA is close to its deadline${deadline}.` };
  return { ...about, kind: 'ignored', reason: 'bookkeeping' };
}

function lifecycle(about: About, { state }: Issue, observation: Observation): Parsed {
  return { ...about, kind: 'lifecycle', observation, context: known({ stateId: state?.id, stateType: state?.type }) };
}
