import type { CurrentIssue } from './current-issue.js';
import { type Fields, word } from './json.js';
import type { LinearConnection } from './linear.options.js';

/**
 * Where the conversation about an issue of this project belongs: a workspace, `off_board` for a project that is not among the connection's,
 * or `anywhere` where the connection has no `projects` at all.
 */
export type Board = { readonly workspace: string } | 'off_board' | 'anywhere';

export function boardOf({ projectId }: Pick<CurrentIssue, 'projectId'>, { projects }: LinearConnection): Board {
  if (projects === undefined) return 'anywhere';
  const workspace = projectId !== undefined && Object.hasOwn(projects, projectId) ? projects[projectId] : undefined;
  return workspace === undefined ? 'off_board' : { workspace };
}

/** What an event itself says about it: only those that carry the whole issue name its project. */
export function saysOffBoard(data: Fields, options: LinearConnection): boolean {
  return Object.hasOwn(data, 'teamId') && boardOf({ projectId: word(data.projectId) }, options) === 'off_board';
}
