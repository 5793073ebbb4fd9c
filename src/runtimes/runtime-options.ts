import { ConfigFault } from '../plugin/index.js';
import type { AcpOptions } from './acp/acp-options.js';
import type { AgentServerOptions } from './agent-server/agent-server.runtime.js';
import type { AgentServerPlace } from './agent-server/agent-servers.js';
import type { EchoOptions } from './echo.runtime.js';
import type { PresetOptions } from './presets/preset.js';
import { isServerSetting } from './process/environment.js';
import { GRACE_MS } from './process/process-group.js';
import type { AgentCommand, ProcessOptions } from './process/process-options.js';

/** The entry of a runtime in the configuration without `kind`, its durations in milliseconds under names that end in `Ms`. */
export type RuntimeOptions = Readonly<Record<string, unknown>>;

const HALF_AN_HOUR_MS = 1_800_000;
const TEN_MINUTES_MS = 600_000;
const TWO_MINUTES_MS = 120_000;

/** The options of an echo runtime, defaults filled in. Throws `ConfigFault`. */
export function echoOptions(options: RuntimeOptions): EchoOptions {
  const read = new OptionReader(options, ['delayMs', 'fail']);
  return { delayMs: read.duration('delayMs', { least: 0 }) ?? 0, fail: read.text('fail') };
}

const COMMAND = ['command', 'cwd', 'env', 'idleTimeoutMs', 'passEnv', 'graceMs'] as const;

/** The options of a process runtime, defaults filled in. Throws `ConfigFault`. */
export function processOptions(options: RuntimeOptions): ProcessOptions {
  const read = new OptionReader(options, [...COMMAND, 'preset', 'args', 'output', 'timeoutMs']);
  return {
    ...commandOptions(read),
    output: read.oneOf('output', ['events', 'text']) ?? 'events',
    timeoutMs: read.duration('timeoutMs', { least: 1 }) ?? HALF_AN_HOUR_MS,
  };
}

/** The options of a process runtime with a preset, defaults filled in. Throws `ConfigFault`. */
export function presetOptions(options: RuntimeOptions): PresetOptions {
  const read = new OptionReader(options, [...COMMAND, 'preset', 'args', 'output', 'timeoutMs']);
  const preset = read.oneOf('preset', ['claude-code', 'codex', 'gemini']);
  if (preset === null) throw new ConfigFault('preset is missing');
  return {
    ...commandOptions(read),
    preset,
    args: read.texts('args'),
    timeoutMs: read.duration('timeoutMs', { least: 1 }) ?? HALF_AN_HOUR_MS,
  };
}

/** The options of an acp runtime, defaults filled in. Throws `ConfigFault`. */
export function acpOptions(options: RuntimeOptions): AcpOptions {
  const read = new OptionReader(options, [...COMMAND, 'mode', 'permissions', 'timeoutMs', 'startTimeoutMs', 'keepAliveMs']);
  return {
    ...commandOptions(read),
    mode: read.text('mode'),
    permissions: read.oneOf('permissions', ['ask', 'allow', 'deny']) ?? 'ask',
    timeoutMs: read.duration('timeoutMs', { least: 1 }) ?? HALF_AN_HOUR_MS,
    startTimeoutMs: read.duration('startTimeoutMs', { least: 1 }) ?? TWO_MINUTES_MS,
    keepAliveMs: read.duration('keepAliveMs', { least: 0 }) ?? TEN_MINUTES_MS,
  };
}

const POLL_MS = 1000;

/** The options of an agent-server runtime, defaults filled in, and where the server is. Throws `ConfigFault`. */
export function agentServerOptions(options: RuntimeOptions): { readonly place: AgentServerPlace; readonly options: AgentServerOptions } {
  const read = new OptionReader(options, ['url', 'apiKey', 'agent', 'workingDir', 'timeoutMs', 'pollMs']);
  const url = read.text('url');
  if (url === null || !/^https?:\/\//.test(url)) throw new ConfigFault('url is missing: the address of the agent server');
  const workingDir = read.text('workingDir');
  const { agent } = options;
  if (typeof agent !== 'object' || agent === null) throw new ConfigFault('agent is missing: { kind: … }');
  return {
    place: { url, apiKey: read.text('apiKey') },
    options: {
      request: { agent, ...(workingDir !== null && { workspace: { kind: 'LocalWorkspace', working_dir: workingDir } }) },
      timeoutMs: read.duration('timeoutMs', { least: 1 }) ?? HALF_AN_HOUR_MS,
      pollMs: read.duration('pollMs', { least: 1 }) ?? POLL_MS,
      ...{ beginMs: 15_000, silenceMs: 60_000, wait: { limitMs: 10_000, everyMs: 2_000 } },
    },
  };
}

function commandOptions(read: OptionReader): AgentCommand {
  const command = read.texts('command');
  if (!command[0])
    throw new ConfigFault('command is empty; name the agent\'s program and its arguments, for example ["node", "agent.mjs"]');
  const passEnv = read.texts('passEnv');
  const secret = passEnv.find(isServerSetting);
  if (secret !== undefined) throw new ConfigFault(`passEnv names ${secret}, a setting of the server itself, which agents never see`);
  return {
    command,
    cwd: read.text('cwd'),
    env: read.variables('env'),
    idleTimeoutMs: read.duration('idleTimeoutMs', { least: 1 }),
    passEnv,
    graceMs: read.duration('graceMs', { least: 0 }) ?? GRACE_MS,
  };
}

/** Reads options one by one. What is missing or null is null; what has the wrong type is a fault. */
class OptionReader {
  constructor(
    private readonly options: RuntimeOptions,
    known: readonly string[],
  ) {
    const unknown = Object.keys(options).find((name) => !known.includes(name));
    if (unknown !== undefined) throw new ConfigFault(`${unknown} is no option of this runtime; it has ${known.join(', ')}`);
  }

  text(name: string): string | null {
    const value = this.options[name] ?? null;
    if (value !== null && !isArgument(value)) throw new ConfigFault(`${name} must be text`);
    return value;
  }

  texts(name: string): readonly string[] {
    const value = this.options[name] ?? [];
    if (!Array.isArray(value) || !value.every(isArgument)) throw new ConfigFault(`${name} must be a list of texts`);
    return value;
  }

  duration(name: string, { least }: { readonly least: number }): number | null {
    const value = this.options[name] ?? null;
    if (value === null) return null;
    if (typeof value !== 'number' || !(value >= least))
      throw new ConfigFault(`${name} must be a number of milliseconds, at least ${least}`);
    return value;
  }

  variables(name: string): Readonly<Record<string, string>> {
    const value = this.options[name] ?? {};
    const entries = Object.entries(value);
    if (typeof value !== 'object' || !entries.every(([key, text]) => /^[^=\0]+$/.test(key) && isArgument(text))) {
      throw new ConfigFault(`${name} must map names of variables to texts`);
    }
    return Object.fromEntries(entries);
  }

  oneOf<T extends string>(name: string, known: readonly T[]): T | null {
    const value = this.options[name] ?? null;
    if (value === null) return null;
    const found = known.find((each) => each === value);
    if (found === undefined) throw new ConfigFault(`${name} must be ${known.join(' or ')}`);
    return found;
  }
}

/** What the operating system takes as an argument or as the value of a variable. */
function isArgument(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0');
}
