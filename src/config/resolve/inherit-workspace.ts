import { relative } from 'node:path';
import { compilePattern } from '../../plugin/expressions/event-pattern.js';
import type { WorkspaceConfig } from '../config.js';
import type { WorkspaceSection } from '../schema/workspace.js';

/** Tells what a child has beyond its parent, by the key that says so. */
export type Refuse = (key: string, message: string) => void;

const EVERYTHING = '*';

/**
 * A workspace as its parent leaves it: it has what its parent has, and may only take away. What it does not say, or says as wide as by
 * default, is its parent's.
 */
export function inherit(own: WorkspaceConfig, said: WorkspaceSection, parent: WorkspaceConfig, refuse: Refuse): WorkspaceConfig {
  if (own.org !== parent.org) refuse('org', `is not that of its parent, \`${parent.org}\``);
  if (own.loop === null && parent.loop !== null) refuse('loop', 'cannot be off where its parent stops machines that answer each other');
  const instructions = [parent.instructions, own.instructions].filter((text) => text !== null);
  return {
    ...own,
    ...placeOf(own, parent, refuse),
    ...boundsOf(own, said, parent, refuse),
    ...permissionsOf(own, parent, refuse),
    instructions: instructions.length === 0 ? null : instructions.join('\n\n'),
    env: within('env', said.env.length === 0 ? parent.env : own.env, parent.env, refuse),
    control: own.control ?? parent.control,
  };
}

function placeOf(
  own: WorkspaceConfig,
  parent: WorkspaceConfig,
  refuse: Refuse,
): Pick<WorkspaceConfig, 'directory' | 'repository' | 'isolate'> {
  const { directory, repository } = own;
  const isolate = own.isolate || (directory === null && parent.isolate);
  if (directory === null && repository === null) return { directory: parent.directory, repository: parent.repository, isolate };
  if (directory !== null && (parent.directory === null || !isWithin(directory, parent.directory)))
    refuse('directory', `is not within that of its parent${parent.directory === null ? ', which has none' : `, ${parent.directory}`}`);
  if (repository !== null && repository !== parent.repository) refuse('repository', 'is not that of its parent');
  return { directory, repository, isolate };
}

function isWithin(inner: string, outer: string): boolean {
  const way = relative(outer, inner);
  return !/^(\.\.(\/|$)|\/)/.test(way);
}

const BOUNDS = {
  concurrency: 'concurrency',
  usdPerTurn: 'limits.usdPerTurn',
  usdPerConversation: 'limits.usdPerConversation',
  usdPerDay: 'budget.usdPerDay',
} as const;

function boundsOf(
  own: WorkspaceConfig,
  said: WorkspaceSection,
  parent: WorkspaceConfig,
  refuse: Refuse,
): Pick<WorkspaceConfig, keyof typeof BOUNDS | 'timezone'> {
  const bound = (name: keyof typeof BOUNDS) => {
    const [mine, most] = [own[name], parent[name]];
    if (mine !== null && most !== null && mine > most) refuse(BOUNDS[name], `is more than that of its parent, ${most}`);
    return mine ?? most;
  };
  return {
    concurrency: bound('concurrency'),
    usdPerTurn: bound('usdPerTurn'),
    usdPerConversation: bound('usdPerConversation'),
    usdPerDay: bound('usdPerDay'),
    timezone: said.budget.usdPerDay === undefined ? parent.timezone : own.timezone,
  };
}

function permissionsOf(
  own: WorkspaceConfig,
  parent: WorkspaceConfig,
  refuse: Refuse,
): Pick<WorkspaceConfig, 'tools' | 'capabilities' | 'approvers'> {
  const { deny, approve, allow } = own.capabilities;
  return {
    tools: patternsWithin('tools', own.tools, parent.tools, refuse),
    capabilities: {
      deny: [...new Set([...parent.capabilities.deny, ...deny])],
      approve: [...new Set([...parent.capabilities.approve, ...approve])],
      allow: patternsWithin('capabilities.allow', allow, parent.capabilities.allow, refuse),
    },
    approvers: parent.approvers.length === 0 ? own.approvers : within('approvers', own.approvers, parent.approvers, refuse, true),
  };
}

function within(key: string, own: readonly string[], parent: readonly string[], refuse: Refuse, emptyIsAll = false): readonly string[] {
  if (emptyIsAll && own.length === 0) return parent;
  const beyond = own.filter((each) => !parent.includes(each));
  if (beyond.length > 0) refuse(key, `has ${beyond.join(', ')}, which its parent does not have`);
  return own;
}

function patternsWithin(key: string, own: readonly string[], parent: readonly string[], refuse: Refuse): readonly string[] {
  if (own.length === 1 && own[0] === EVERYTHING) return parent;
  const beyond = own.filter((pattern) => !isCovered(pattern, parent));
  if (beyond.length > 0) refuse(key, `has ${beyond.join(', ')}, which its parent's ${parent.join(', ') || 'none'} does not cover`);
  return own;
}

/** A pattern is covered by the same one, or by one for everything; the name of a tool by each that matches it. */
function isCovered(pattern: string, parent: readonly string[]): boolean {
  if (parent.includes(pattern) || parent.includes(EVERYTHING)) return true;
  if (/[^\w.-]/.test(pattern)) return false;
  const names = [pattern, pattern.slice(pattern.indexOf('.') + 1)];
  return parent.some((each) => names.some((name) => compilePattern(each).matches(name)));
}
