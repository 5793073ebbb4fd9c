import { resolve } from 'node:path';
import type { WorkspaceConfig } from '../config.js';
import type { WorkspaceSection } from '../schema/workspace.js';
import { checkExists, checkOrg, type Scope } from './scope.js';

export function resolveWorkspaces(scope: Scope): WorkspaceConfig[] {
  return [...scope.file.workspaces].map(([name, section]) => resolveWorkspace(name, section, scope));
}

function resolveWorkspace(name: string, section: WorkspaceSection, scope: Scope): WorkspaceConfig {
  const path = `workspaces.${name}`;
  checkOrg(section.org, path, scope);
  checkExists('runtime', section.runtime, scope.file.runtimes.keys(), `${path}.runtime`, scope);
  return {
    name,
    org: section.org,
    runtime: section.runtime,
    instructions: section.instructions ?? null,
    directory: section.directory === undefined ? null : resolve(scope.folder, section.directory),
    env: section.env,
    concurrency: section.concurrency ?? null,
  };
}
