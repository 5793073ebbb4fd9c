import type { Issue } from './issue.js';
import { type Fields, fields, word } from './json.js';

/** Properties that change along with others, or when somebody drags a card: alone they say nothing to an agent. Lower case. */
const BOOKKEEPING: ReadonlySet<string> = new Set(
  `updatedAt archivedAt trashed autoArchivedAt autoClosedAt snoozedUntilAt startedAt completedAt canceledAt startedTriageAt triagedAt
  addedToProjectAt addedToCycleAt addedToTeamAt sortOrder subIssueSortOrder prioritySortOrder boardOrder subscriberIds reactionData
  previousIdentifiers descriptionData botActor syncedWith slaStartedAt slaMediumRiskAt slaHighRiskAt slaBreachesAt slaType
  lastAppliedTemplateId integrationSourceType`
    .toLowerCase()
    .split(/\s+/),
);

/** The names of the changed properties that mean something to an agent. */
export function substantialChanges(updatedFrom: Fields): string[] {
  return Object.keys(updatedFrom).filter((name) => !BOOKKEEPING.has(name.toLowerCase()));
}

export function isProjectMove(changes: readonly string[]): boolean {
  return changes.length === 1 && changes[0]?.toLowerCase() === 'projectid';
}

const SENTENCES: ReadonlyMap<string, (issue: Issue, before: unknown) => string> = new Map([
  ['stateId', ({ state }) => `State is now ${state?.name ?? 'unknown'}${state?.type ? ` (${state.type})` : ''}.`],
  ['title', ({ title }, before) => `Title is now "${title ?? ''}"${word(before) ? `, before "${before}"` : ''}.`],
  ['description', ({ description }) => (description ? `Description is now:\n${description}` : 'Description was removed.')],
  ['assigneeId', ({ properties }) => person(properties.assignee, 'Assigned to', 'Nobody is assigned any more.')],
  ['delegateId', ({ properties }) => person(properties.delegate, 'Delegated to', 'It is delegated to nobody any more.')],
  ['priority', ({ properties }) => `Priority is now ${word(properties.priorityLabel) ?? 'unknown'}.`],
  ['labelIds', ({ properties }) => `Labels are now ${labels(properties.labels)}.`],
  ['teamId', ({ properties, identifier }) => `Moved to the team ${nameOf(properties.team) ?? 'unknown'}, as ${identifier ?? 'unknown'}.`],
  [
    'projectId',
    ({ properties }) =>
      properties.projectId ? `Moved to the project ${nameOf(properties.project) ?? 'unknown'}.` : 'Taken out of its project.',
  ],
  ['dueDate', ({ properties }) => (word(properties.dueDate) ? `Due on ${word(properties.dueDate)}.` : 'It has no due date any more.')],
]);

/** Changes that another sentence tells already. */
const TOLD_WITH_TEAM: ReadonlySet<string> = new Set(['number', 'identifier']);

/** One line for each change, as a person would say it. */
export function describeChanges(issue: Issue, changes: readonly string[], updatedFrom: Fields): string {
  const told = changes.includes('teamId') ? changes.filter((name) => !TOLD_WITH_TEAM.has(name)) : changes;
  return told.map((name) => SENTENCES.get(name)?.(issue, updatedFrom[name]) ?? `Changed: ${name}.`).join('\n');
}

function person(value: unknown, verb: string, nobody: string): string {
  const name = nameOf(value);
  return name ? `${verb} ${name}.` : nobody;
}

function labels(value: unknown): string {
  const names = Array.isArray(value) ? value.map(nameOf).filter((name) => name !== undefined) : [];
  return names.join(', ') || 'none';
}

function nameOf(value: unknown): string | undefined {
  return word(fields(value)?.name);
}
