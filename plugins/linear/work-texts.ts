import type { Issue } from './issue.js';
import type { WorkBoard } from './work.options.js';

const LONGEST_DESCRIPTION = 20_000;

/** What an agent is told when a person wants a plan. */
export function planText(issue: Issue, board: WorkBoard): string {
  return [
    'Plan the work on this issue. Look at what is asked for and at what there is, and work out what is to be done; do not do it yet.',
    `Put the plan on the issue with linear_plan. Then move the issue with linear_set_state to the state ${board.planApproval}, where a person looks at it.`,
    blockedText(board),
    aboutText(issue),
  ].join('\n\n');
}

/** What an agent is told when a person has let the work be done. */
export function executeText(issue: Issue, board: WorkBoard): string {
  return [
    'Do the work on this issue now, as its plan and what people said about it ask for.',
    `When it is done say with linear_comment what you did. Then move the issue with linear_set_state to the state ${board.review}, where a person looks at it.`,
    blockedText(board),
    aboutText(issue),
  ].join('\n\n');
}

function blockedText({ blocked }: WorkBoard): string {
  return `If you cannot go on without a person, say with linear_comment what you need, and move the issue to the state ${blocked}.`;
}

function aboutText({ identifier, title, description, url }: Issue): string {
  const name = [identifier, title].filter((part) => part !== undefined).join(' ');
  return [name, url, description?.slice(0, LONGEST_DESCRIPTION)].filter((part) => part).join('\n');
}
