import { ConfigFault } from '../plugin/index.js';
import type { EchoOptions } from './echo.runtime.js';
import { isServerSetting } from './process/environment.js';
import { GRACE_MS } from './process/process-group.js';
import type { ProcessOptions } from './process/process-options.js';

/** The entry of a runtime in the configuration without `kind`, its durations in milliseconds under names that end in `Ms`. */
export type RuntimeOptions = Readonly<Record<string, unknown>>;

const HALF_AN_HOUR_MS = 1_800_000;

/** The options of an echo runtime, defaults filled in. Throws `ConfigFault`. */
export function echoOptions(options: RuntimeOptions): EchoOptions {
  const read = new OptionReader(options, ['delayMs', 'fail']);
  return { delayMs: read.duration('delayMs', { least: 0 }) ?? 0, fail: read.text('fail') };
}

/** The options of a process runtime, defaults filled in. Throws `ConfigFault`. */
export function processOptions(options: RuntimeOptions): ProcessOptions {
  const read = new OptionReader(options, ['command', 'cwd', 'env', 'output', 'timeoutMs', 'idleTimeoutMs', 'passEnv', 'graceMs']);
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
    output: read.output(),
    timeoutMs: read.duration('timeoutMs', { least: 1 }) ?? HALF_AN_HOUR_MS,
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

  output(): ProcessOptions['output'] {
    const value = this.options['output'] ?? 'events';
    if (value !== 'events' && value !== 'text') throw new ConfigFault('output must be events or text');
    return value;
  }
}

/** What the operating system takes as an argument or as the value of a variable. */
function isArgument(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0');
}
