import { resolve } from 'node:path';
import { readSection } from '../check.js';
import type { AcpOptions, CommandOptions, EchoOptions, ProcessOptions, RuntimeConfig } from '../config.js';
import { AcpSection, type CommandSection, EchoSection, ProcessSection, type RuntimeSection } from '../schema/runtime.js';
import { milliseconds, parseDuration } from '../units.js';
import type { Scope } from './scope.js';

const NOT_BUILT: readonly string[] = ['agent-server'];

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
    return { name, builtIn: true, kind, options: processOptions(section, scope.folder) };
  }
  if (kind === 'acp') {
    const section = readSection(AcpSection, rest, path, scope.faults);
    return { name, builtIn: true, kind, options: acpOptions(section, scope.folder) };
  }
  if (NOT_BUILT.includes(kind)) {
    scope.faults.push({ path: `${path}.kind`, message: `the kind \`${kind}\` is not built yet in this version` });
  }
  return { name, builtIn: false, kind, options: rest };
}

function echoOptions(section: EchoSection): EchoOptions {
  return { delayMs: milliseconds(section.delay), fail: section.fail ?? null };
}

function processOptions(section: ProcessSection, folder: string): ProcessOptions {
  return { ...commandOptions(section, folder), output: section.output };
}

function acpOptions(section: AcpSection, folder: string): AcpOptions {
  return {
    ...commandOptions(section, folder),
    mode: section.mode ?? null,
    permissions: section.permissions,
    startTimeoutMs: milliseconds(section.startTimeout),
    keepAliveMs: milliseconds(section.keepAlive),
  };
}

function commandOptions(section: CommandSection, folder: string): CommandOptions {
  return {
    command: section.command,
    cwd: section.cwd === undefined ? null : resolve(folder, section.cwd),
    env: Object.fromEntries(Object.entries(section.env).map(([name, value]) => [name, String(value)])),
    timeoutMs: milliseconds(section.timeout),
    idleTimeoutMs: parseDuration(section.idleTimeout),
  };
}
