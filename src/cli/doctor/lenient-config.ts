import { baseOf, hostFaults, loadHost } from '../../compose/configured-host.js';
import type { LoadedConfig } from '../../config/config.js';
import { InvalidConfiguration } from '../../config/invalid-configuration.js';
import { type LoadRequest, loadConfig } from '../../config/load-config.js';
import type { Fault } from '../../plugin/index.js';
import type { ConfigOption } from '../config-option.js';
import type { Terminal } from '../terminal.js';

export interface LenientConfig {
  readonly file: string | null;
  /** Null: too much is wrong for it to be read. */
  readonly loaded: LoadedConfig | null;
  readonly faults: readonly Fault[];
}

const UNSET_SECRET = /^connections\.[^.]+\.secrets?(?:\[\d+\])?: the environment variable `([^`]+)` is (?:not set|empty)$/;

/**
 * The configuration with everything that is wrong in it. Where nothing but secrets of connections are missing, it is read as
 * if they were there, so that the rest can be looked at too.
 */
export async function loadLeniently(terminal: Terminal, { config }: ConfigOption): Promise<LenientConfig> {
  const request: LoadRequest = { cwd: terminal.cwd, file: config, env: terminal.env };
  const strict = await attempt(() => loadConfig(request));
  const unset = strict.faults
    .map(({ path, message }) => UNSET_SECRET.exec(`${path}: ${message}`)?.[1])
    .filter((name) => name !== undefined);
  const isReadable = strict.loaded !== null || (unset.length > 0 && unset.length === strict.faults.length);
  if (!isReadable) return attempt(async () => (await loadHost(request)).loaded);
  const stands = Object.fromEntries(unset.map((name) => [name, 'a secret that is not set']));
  const lenient = strict.loaded === null ? await attempt(() => loadConfig({ ...request, env: { ...terminal.env, ...stands } })) : strict;
  const { loaded, file } = lenient;
  const ofPlugins = loaded === null ? [] : await hostFaults(loaded.config, baseOf(file, terminal.cwd));
  return { ...lenient, faults: [...strict.faults, ...lenient.faults, ...ofPlugins] };
}

async function attempt(load: () => Promise<LoadedConfig>): Promise<LenientConfig> {
  try {
    const loaded = await load();
    return { file: loaded.file, loaded, faults: [] };
  } catch (error) {
    if (!(error instanceof InvalidConfiguration)) throw error;
    return { file: error.file, loaded: null, faults: error.faults };
  }
}
