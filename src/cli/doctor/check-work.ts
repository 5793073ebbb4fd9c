import { existsSync } from 'node:fs';
import { extname, isAbsolute, join, resolve } from 'node:path';
import type { Config, RuntimeConfig, WorkspaceConfig } from '../../config/config.js';
import { ConfigFault } from '../../plugin/index.js';
import { createRuntime } from '../../runtimes/create-runtime.js';
import type { Terminal } from '../terminal.js';
import { type Finding, fault, ok, type Section, warning } from './finding.js';
import { checkFolder } from './folders.js';

const SCRIPTS: ReadonlySet<string> = new Set(['.js', '.mjs', '.cjs', '.ts', '.py', '.rb', '.sh', '.pl']);

/** A section for each workspace: its folder, its variables, and whether its agent can be started there. */
export async function checkWorkspaces(config: Config, { env }: Terminal): Promise<Section[]> {
  return Promise.all(
    config.workspaces.map(async (workspace) => ({
      title: `Workspace ${workspace.name}`,
      findings: [
        await checkFolder('Folder', workspace.directory ?? join(config.dataDir, 'workspaces')),
        ...checkRepository(workspace),
        ...(await checkRuntime(config, workspace)),
        ...checkVariables(workspace, env),
      ],
    })),
  );
}

/** One that is named by an address is looked at when it is cloned. */
function checkRepository({ name, repository }: WorkspaceConfig): Finding[] {
  if (repository === null || !isAbsolute(repository)) return [];
  if (existsSync(join(repository, '.git')) || existsSync(join(repository, 'HEAD'))) return [ok('Repository', repository)];
  return [fault('Repository', `${repository} is no git repository`, `Clone it there, or correct workspaces.${name}.repository.`)];
}

async function checkRuntime(config: Config, workspace: WorkspaceConfig): Promise<Finding[]> {
  const runtime = config.runtimes.find(({ name }) => name === workspace.runtime);
  if (runtime === undefined) return [];
  if (!runtime.builtIn) return [ok('Agent', `${runtime.name}, of the kind ${runtime.kind} that a plugin brings`)];
  if (runtime.kind === 'echo') return [ok('Agent', `${runtime.name}, which answers with what it was told`)];
  if (runtime.kind === 'agent-server') return [await checkServer(runtime)];
  const folder = folderOf(runtime, workspace);
  const problem = await startProblem(runtime, { cwd: folder, passEnv: workspace.env });
  if (problem !== null) return [fault('Agent', problem, `Install it, or correct runtimes.${runtime.name}.command.`)];
  const script = missingScript(runtime, folder);
  if (script === null) return [ok('Agent', `${runtime.name}: ${runtime.options.command.join(' ')}`)];
  const fix = `Put it there, or give its full path in runtimes.${runtime.name}.command.`;
  return [warning('Agent', `${runtime.options.command.join(' ')}: there is no ${script} in ${folder ?? 'the workspace'}`, fix)];
}

async function checkServer({ name, kind, options }: Extract<RuntimeConfig, { builtIn: true; kind: 'agent-server' }>): Promise<Finding> {
  const problem = await createRuntime(kind, { ...options }).check?.();
  if (problem) return fault('Agent', problem, `Start it, or correct runtimes.${name}.url.`);
  return ok('Agent', `${name}: ${options.agent['kind']} at ${options.url}`);
}

type CommandRuntime = Extract<RuntimeConfig, { builtIn: true; kind: 'process' | 'acp' }>;

/** Where its processes start; null: in a folder that is made for each conversation, or later. */
function folderOf({ options }: CommandRuntime, { directory }: WorkspaceConfig): string | null {
  const folder = options.cwd ?? directory;
  return folder !== null && (options.cwd !== null || existsSync(folder)) ? folder : null;
}

async function startProblem(runtime: CommandRuntime, own: { cwd: string | null; passEnv: readonly string[] }): Promise<string | null> {
  try {
    return (await createRuntime(runtime.kind, { ...runtime.options, ...own }).check?.()) ?? null;
  } catch (error) {
    if (error instanceof ConfigFault) return error.message;
    throw error;
  }
}

/** `node agent.mjs` starts well where there is no agent.mjs, and fails at the first turn. */
function missingScript({ options: { command } }: CommandRuntime, folder: string | null): string | null {
  const script = command.slice(1).find((argument) => !argument.startsWith('-'));
  if (script === undefined || !SCRIPTS.has(extname(script))) return null;
  return existsSync(resolve(folder ?? '/', script)) ? null : script;
}

function checkVariables({ name, env }: WorkspaceConfig, own: NodeJS.ProcessEnv): Finding[] {
  const missing = env.filter((variable) => own[variable] === undefined);
  if (missing.length === 0) return [];
  return [
    warning('Variables', `${missing.join(', ')} not set here`, `Set what its agent needs, or take it out of workspaces.${name}.env.`),
  ];
}
