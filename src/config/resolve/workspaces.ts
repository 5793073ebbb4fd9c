import { resolve } from 'node:path';
import { isTimezone } from '../../core/limits/day.js';
import type { Fault } from '../../plugin/index.js';
import type { WorkspaceConfig } from '../config.js';
import type { WorkspaceSection } from '../schema/workspace.js';
import { milliseconds } from '../units.js';
import { inherit } from './inherit-workspace.js';
import { checkExists, checkOrg, type Scope } from './scope.js';

export function resolveWorkspaces(scope: Scope): WorkspaceConfig[] {
  const before = scope.faults.length;
  const sections = scope.file.workspaces;
  const own = new Map([...sections].map(([name, section]) => [name, resolveWorkspace(name, section, scope)]));
  for (const name of sections.keys())
    if (isOwnParent(name, scope)) scope.faults.push({ path: `workspaces.${name}.parent`, message: 'goes round in a circle' });
  // What cannot be understood by itself cannot be compared.
  if (scope.faults.length > before) return [...own.values()];
  return [...own.keys()].flatMap((name) => inherited(name, own, scope, scope.faults) ?? []);
}

function isOwnParent(name: string, { file }: Scope): boolean {
  const seen = new Set<string>();
  for (let each = file.workspaces.get(name)?.parent; each !== undefined && !seen.has(each); each = file.workspaces.get(each)?.parent)
    seen.add(each);
  return seen.has(name);
}

/** A workspace with what it has of its parents, none of which is its own; null: there is none of this name. */
function inherited(name: string, own: ReadonlyMap<string, WorkspaceConfig>, scope: Scope, faults: Fault[]): WorkspaceConfig | null {
  const [workspace, section] = [own.get(name), scope.file.workspaces.get(name)];
  if (!workspace || !section) return null;
  // What a parent has beyond its own is told where the parent stands.
  const parent = section.parent === undefined ? null : inherited(section.parent, own, scope, []);
  if (parent === null) return workspace;
  return inherit(workspace, section, parent, (key, message) => faults.push({ path: `workspaces.${name}.${key}`, message }));
}

function resolveWorkspace(name: string, section: WorkspaceSection, scope: Scope): WorkspaceConfig {
  const path = `workspaces.${name}`;
  checkOrg(section.org, path, scope);
  if (section.parent !== undefined) checkExists('workspace', section.parent, scope.file.workspaces.keys(), `${path}.parent`, scope);
  checkExists('runtime', section.runtime, scope.file.runtimes.keys(), `${path}.runtime`, scope);
  if (!isTimezone(section.budget.timezone)) {
    scope.faults.push({ path: `${path}.budget.timezone`, message: 'must be the IANA name of a time zone, such as `Europe/Berlin`' });
  }
  checkPatterns(section, path, scope);
  return {
    name,
    org: section.org,
    runtime: section.runtime,
    instructions: section.instructions ?? null,
    ...placeOf(section, path, scope),
    env: section.env,
    concurrency: section.concurrency ?? null,
    usdPerTurn: section.limits.usdPerTurn ?? null,
    usdPerConversation: section.limits.usdPerConversation ?? null,
    usdPerDay: section.budget.usdPerDay ?? null,
    timezone: section.budget.timezone,
    control: controlOf(section, path, scope),
    loop: section.loop === 'off' ? null : { turns: section.loop.turns, windowMs: milliseconds(section.loop.window) },
    tools: section.tools,
    capabilities: { deny: section.capabilities.deny, approve: section.capabilities.approve, allow: section.capabilities.allow },
    approvers: section.approvers,
  };
}

const ADDRESS = /^([a-z][a-z+]*:\/\/|[\w.-]+@[\w.-]+:)/i;

/** Where the turns of a workspace work. */
function placeOf(
  { directory, repository, isolate }: WorkspaceSection,
  path: string,
  { folder, faults }: Scope,
): Pick<WorkspaceConfig, 'directory' | 'isolate' | 'repository'> {
  if (repository !== undefined && directory !== undefined)
    faults.push({ path: `${path}.repository`, message: 'cannot stand beside `directory`: its working trees lie in the data folder' });
  if (isolate && directory === undefined)
    faults.push({
      path: `${path}.isolate`,
      message: 'belongs to `directory`; without it each conversation has a folder of its own anyway',
    });
  const absolute = (place: string) => (ADDRESS.test(place) ? place : resolve(folder, place));
  return {
    directory: directory === undefined ? null : resolve(folder, directory),
    isolate,
    repository: repository === undefined ? null : absolute(repository),
  };
}

function controlOf({ control, org }: WorkspaceSection, path: string, { file, ...scope }: Scope): WorkspaceConfig['control'] {
  if (control === undefined) return null;
  const at = `${path}.control.connection`;
  checkExists('connection', control.connection, file.connections.keys(), at, { file, ...scope });
  const other = file.connections.get(control.connection)?.org ?? org;
  if (other !== org) scope.faults.push({ path: at, message: `belongs to the org \`${other}\`, and the workspace to \`${org}\`` });
  return { connection: control.connection, parent: control.parent };
}

function checkPatterns({ tools, capabilities }: WorkspaceSection, path: string, { checkPattern, faults }: Scope): void {
  const { deny, approve, allow } = capabilities;
  for (const [key, patterns] of Object.entries({
    tools,
    'capabilities.deny': deny,
    'capabilities.approve': approve,
    'capabilities.allow': allow,
  })) {
    patterns.forEach((pattern, index) => {
      const message = checkPattern(pattern);
      if (message !== null) faults.push({ path: `${path}.${key}[${index}]`, message });
    });
  }
}
