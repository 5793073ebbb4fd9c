import { commits, inputs } from './github.details.js';
import {
  administration,
  closed,
  deleted,
  type EventRules,
  edit,
  edited,
  gone,
  housekeeping,
  machineReport,
  message,
  moved,
  notFinished,
  notice,
  opening,
  ping,
  type Rule,
  reopening,
  report,
  withdrawal,
} from './github.rule.js';

const labels = {
  labeled: notice('{who} added the label {label.name} to {what}'),
  unlabeled: notice('{who} removed the label {label.name} from {what}'),
};
const planning = {
  ...labels,
  assigned: notice('{who} assigned {assignee.login} to {what}'),
  unassigned: notice('{who} unassigned {assignee.login} from {what}'),
  milestoned: notice('{who} added {what} to the milestone {milestone.title}'),
  demilestoned: notice('{who} removed {what} from the milestone {milestone.title}'),
};
const locks = { locked: housekeeping, unlocked: housekeeping };
const pins = { pinned: housekeeping, unpinned: housekeeping };
const OPENED = '{who} opened {what}';
const STARTED = '{who} started {what}';
const COMMENTED = '{who} commented on {what}';
const REVIEWED = '{who} submitted a review[ ({review.state})] of {what}';
const COMMENTED_ON_LINE = '{who} commented[ on {comment.path}][ line {comment.line|comment.original_line}] in {what}';
const lifeOfComment = { created: message(COMMENTED), edited: edit(COMMENTED), deleted: withdrawal };

/** Every event that we know. What is not here is recorded as `unknown_event`. */
export const EVENTS: Readonly<Record<string, EventRules>> = {
  issues: {
    about: 'issue',
    source: 'issue',
    title: '{issue.title}',
    actions: {
      opened: opening(OPENED),
      reopened: reopening('{who} reopened {what}'),
      closed,
      deleted: gone,
      transferred: moved,
      ...planning,
      typed: notice('{who} set the type of {what} to {type.name}'),
      untyped: notice('{who} removed the type {type.name} from {what}'),
      edited: edit(OPENED),
      ...locks,
      ...pins,
    },
  },
  issue_comment: { about: 'issue', source: 'comment', title: '{issue.title}', actions: { ...lifeOfComment, ...pins } },
  pull_request: {
    about: 'pull_request',
    source: 'pull_request',
    title: '{pull_request.title}',
    actions: {
      opened: opening(OPENED),
      reopened: reopening('{who} reopened {what}'),
      closed,
      ...planning,
      synchronize: notice('{who} pushed to {what}: now at {after|pull_request.head.sha}'),
      ready_for_review: notice('{who} marked {what} as ready for review'),
      converted_to_draft: notice('{who} converted {what} to a draft'),
      review_requested: notice('{who} asked {requested_reviewer.login|requested_team.name} to review {what}'),
      review_request_removed: notice('{who} no longer asks {requested_reviewer.login|requested_team.name} to review {what}'),
      dequeued: notice('{what} was removed from the merge queue[: {reason}]'),
      edited: edit(OPENED),
      enqueued: housekeeping,
      auto_merge_enabled: housekeeping,
      auto_merge_disabled: housekeeping,
      ...locks,
    },
  },
  pull_request_review: {
    about: 'pull_request',
    source: 'review',
    title: '{pull_request.title}',
    actions: {
      submitted: message(REVIEWED),
      dismissed: notice('{who} dismissed the review[ of {review.user.login}] on {what}'),
      edited: edit(REVIEWED),
    },
  },
  pull_request_review_comment: {
    about: 'pull_request',
    source: 'comment',
    title: '{pull_request.title}',
    actions: {
      created: message(COMMENTED_ON_LINE),
      edited: edit(COMMENTED_ON_LINE),
      deleted: withdrawal,
    },
  },
  pull_request_review_thread: {
    about: 'pull_request',
    source: 'thread',
    title: '{pull_request.title}',
    actions: {
      resolved: notice('{who} resolved a review thread of {what}'),
      unresolved: notice('{who} reopened a review thread of {what}'),
    },
  },
  discussion: {
    about: 'discussion',
    source: 'discussion',
    title: '{discussion.title}',
    actions: {
      created: opening(STARTED),
      reopened: reopening('{who} reopened {what}'),
      closed,
      deleted: gone,
      transferred: moved,
      answered: notice('{who} chose an answer in {what}'),
      unanswered: notice('{who} withdrew the chosen answer in {what}'),
      ...labels,
      edited: edit(STARTED),
      category_changed: housekeeping,
      ...locks,
      ...pins,
    },
  },
  discussion_comment: { about: 'discussion', source: 'comment', title: '{discussion.title}', actions: lifeOfComment },
  check_run: {
    about: 'checks',
    source: 'check_run',
    title: '{check_run.name}',
    actions: {
      completed: report('The check {check_run.name} completed[ with {check_run.conclusion}] for {what}[: {check_run.output.title}]'),
      rerequested: notice('{who} asked to run the check {check_run.name} again for {what}'),
      requested_action: notice('{who} asked the check {check_run.name} for the action {requested_action.identifier} on {what}'),
      created: notFinished,
    },
  },
  check_suite: {
    about: 'checks',
    source: 'check_suite',
    title: 'Checks[ of {check_suite.app.name}]',
    actions: {
      completed: report('The checks[ of {check_suite.app.name}] completed[ with {check_suite.conclusion}] for {what}'),
      rerequested: notice('{who} asked to run the checks[ of {check_suite.app.name}] again for {what}'),
      requested: notFinished,
    },
  },
  workflow_run: {
    about: 'checks',
    source: 'workflow_run',
    title: '{workflow_run.name|workflow.name}',
    actions: {
      completed: report('The workflow {workflow_run.name|workflow.name} completed[ with {workflow_run.conclusion}] for {what}'),
      requested: notFinished,
      in_progress: notFinished,
    },
  },
  push: {
    about: 'repository',
    source: 'head_commit',
    title: '{ref}',
    needs: 'ref',
    actions: { '': notice('{who} pushed to {ref} of {what}', commits) },
  },
  commit_comment: {
    about: 'repository',
    source: 'comment',
    title: 'commit {comment.commit_id}',
    actions: { created: message('{who} commented on commit {comment.commit_id} of {what}') },
  },
  release: {
    about: 'repository',
    source: 'release',
    title: '{release.name|release.tag_name}',
    actions: {
      published: message('{who} published the release {release.name|release.tag_name} of {what}'),
      released: message('{who} released {release.name|release.tag_name} of {what}'),
      prereleased: message('{who} pre-released {release.name|release.tag_name} of {what}'),
      edited,
      created: housekeeping,
      unpublished: housekeeping,
      deleted,
    },
  },
  workflow_dispatch: {
    about: 'repository',
    source: 'workflow',
    title: '{workflow}',
    needs: 'workflow',
    actions: { '': notice('{who} started the workflow {workflow} of {what} on {ref}', inputs) },
  },
  repository_dispatch: {
    about: 'repository',
    source: 'client_payload',
    title: '{action}',
    needs: 'branch',
    actions: { '*': notice('{who} dispatched {action} to {what}') },
  },
  status: {
    about: 'checks',
    source: 'commit',
    title: '{context}',
    needs: 'state',
    actions: { '': report('The status {context} is {state} for {what}[: {description}]', 'state') },
  },
  deployment: { about: 'repository', source: 'deployment', title: '{deployment.environment}', actions: { '*': machineReport } },
  deployment_status: { about: 'repository', source: 'deployment', title: '{deployment.environment}', actions: { '*': machineReport } },
  repository: { about: 'repository', source: 'repository', title: '{action}', actions: { '*': administration } },
  installation: { about: 'nothing', source: '', title: '', actions: { '*': administration } },
  installation_repositories: { about: 'nothing', source: '', title: '', actions: { '*': administration } },
  meta: { about: 'nothing', source: '', title: '', actions: { '*': administration } },
  ping: { about: 'nothing', source: '', title: '', actions: { '': ping } },
};

/** The event's name and rules, and the rule of its action; the last two may be missing. */
export function rulesFor(eventKey: string): { readonly event: string; readonly rules?: EventRules; readonly rule?: Rule } {
  const [event = '', ...rest] = eventKey.split('.');
  const rules = own(EVENTS, event);
  if (rules === undefined) return { event };
  const rule = own(rules.actions, rest.join('.')) ?? own(rules.actions, '*');
  return rule === undefined ? { event, rules } : { event, rules, rule };
}

function own<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
