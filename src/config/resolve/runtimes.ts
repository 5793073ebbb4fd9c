import { resolve } from 'node:path';
import { readSection } from '../check.js';
import type { AcpOptions, AgentServerOptions, CommandOptions, EchoOptions, ProcessOptions, RuntimeConfig } from '../config.js';
import {
  AcpSection,
  AgentServerSection,
  type CommandSection,
  EchoSection,
  ProcessSection,
  type RuntimeSection,
} from '../schema/runtime.js';
import { milliseconds, parseDuration } from '../units.js';
import type { Scope } from './scope.js';

/** How each program is called where the file does not say. */
const PROGRAMS = { 'claude-code': 'claude', codex: 'codex', gemini: 'gemini' } as const;

export function resolveRuntimes(scope: Scope): RuntimeConfig[] {
  return [...scope.file.runtimes].map(([name, section]) => resolveRuntime(name, section, scope));
}

function resolveRuntime(name: string, { kind, rest }: RuntimeSection, scope: Scope): RuntimeConfig {
  const path = `runtimes.${name}`;
  if (kind === 'echo') {
    return { name, builtIn: true, kind, options: echoOptions(readSection(EchoSection, rest, path, scope.faults)) };
  }
  if (kind === 'process') {
    const section = readSection(ProcessSection, rest, path, scope.faults);
    return { name, builtIn: true, kind, options: processOptions(section, path, scope) };
  }
  if (kind === 'acp') {
    const section = readSection(AcpSection, rest, path, scope.faults);
    return { name, builtIn: true, kind, options: acpOptions(section, scope.folder) };
  }
  if (kind === 'agent-server') {
    const section = readSection(AgentServerSection, rest, path, scope.faults);
    return { name, builtIn: true, kind, options: agentServerOptions(section, path, scope) };
  }
  return { name, builtIn: false, kind, options: rest };
}

function echoOptions(section: EchoSection): EchoOptions {
  return { delayMs: milliseconds(section.delay), fail: section.fail ?? null };
}

function processOptions(section: ProcessSection, path: string, scope: Scope): ProcessOptions {
  const { preset = null, args } = section;
  if (preset === null && section.command === undefined)
    scope.faults.push({ path: `${path}.command`, message: 'is required and must not be empty, unless there is a `preset`' });
  if (preset === null && args.length > 0)
    scope.faults.push({ path: `${path}.args`, message: 'belongs to a `preset`; the arguments of a command stand in `command`' });
  const command = section.command ?? (preset === null ? [] : [PROGRAMS[preset]]);
  return { ...commandOptions(section, command, scope.folder), output: section.output, preset, args };
}

function acpOptions(section: AcpSection, folder: string): AcpOptions {
  return {
    ...commandOptions(section, section.command, folder),
    mode: section.mode ?? null,
    permissions: section.permissions,
    startTimeoutMs: milliseconds(section.startTimeout),
    keepAliveMs: milliseconds(section.keepAlive),
  };
}

function agentServerOptions(
  { url, apiKey, agent, workingDir, timeout, poll }: AgentServerSection,
  path: string,
  scope: Scope,
): AgentServerOptions {
  if (url === undefined) scope.faults.push({ path: `${path}.url`, message: 'is required: the address of the agent server' });
  if (agent === undefined)
    scope.faults.push({ path: `${path}.agent`, message: 'is required: `{ kind: … }` and the options that the server has for that kind' });
  return {
    ...{
      url: (url ?? '').replace(/\/+$/, ''),
      apiKey: apiKey ?? null,
      agent: { kind: agent?.kind, ...agent?.rest },
      workingDir: workingDir ?? null,
    },
    ...{ timeoutMs: milliseconds(timeout), pollMs: milliseconds(poll) },
  };
}

function commandOptions(section: CommandSection, command: readonly string[], folder: string): CommandOptions {
  return {
    command,
    cwd: section.cwd === undefined ? null : resolve(folder, section.cwd),
    env: Object.fromEntries(Object.entries(section.env).map(([name, value]) => [name, String(value)])),
    timeoutMs: milliseconds(section.timeout),
    idleTimeoutMs: parseDuration(section.idleTimeout),
  };
}
