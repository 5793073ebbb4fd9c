import { dirname, resolve } from 'node:path';
import { patternFault } from '../plugin/expressions/event-pattern.js';
import { expressionFault } from '../plugin/expressions/expression.js';
import type { Fault } from '../plugin/index.js';
import { readSection } from './check.js';
import type { Config, LoadedConfig } from './config.js';
import { InvalidConfiguration } from './invalid-configuration.js';
import { applyOverrides } from './overrides.js';
import { copyRaw, isMap } from './raw.js';
import { findConfigFile, readConfigFile, readDotEnv } from './read-file.js';
import type { RawFile } from './read-text.js';
import { resolveReferences } from './references.js';
import { resolveAutomations } from './resolve/automations.js';
import { resolveConnections } from './resolve/connections.js';
import { resolveStorage } from './resolve/database.js';
import { resolveRetention } from './resolve/retention.js';
import { resolveRoutes } from './resolve/routes.js';
import { resolveRuntimes } from './resolve/runtimes.js';
import type { Scope, SourceCheck } from './resolve/scope.js';
import { resolveServer } from './resolve/server.js';
import { resolveWorkers } from './resolve/workers.js';
import { resolveWorkspaces } from './resolve/workspaces.js';
import { ConfigFile } from './schema/root.js';

type Variables = Readonly<Record<string, string | undefined>>;

export interface LoadRequest {
  readonly cwd: string;
  /** The configuration file; before `THROUGHLINE_CONFIG`, which comes before `throughline.config.*` in `cwd`. */
  readonly file?: string | undefined;
  readonly env: Variables;
  /** Names of plugins that are there, whether the configuration enables them or not. Default: none. */
  readonly given?: readonly string[];
  /** Says what is wrong with a JMESPath expression. Default: as routes compile it. */
  readonly checkExpression?: SourceCheck;
  /** Says what is wrong with a pattern of event keys. Default: as routes compile it. */
  readonly checkPattern?: SourceCheck;
  /** Says what only others can know to be wrong, such as the plugins themselves; told together with all the rest. */
  readonly alsoCheck?: (config: Config, file: string | null) => Promise<readonly Fault[]>;
}

/**
 * Loads and checks the whole configuration. No file at all is legal, and means an empty one.
 * @throws InvalidConfiguration with every fault that there is.
 */
export async function loadConfig(request: LoadRequest): Promise<LoadedConfig> {
  const { cwd, env } = request;
  const file = findConfigFile({ cwd, asked: request.file ?? (env.THROUGHLINE_CONFIG || undefined) });
  const raw = file === null ? { value: {}, routes: [], faults: [] } : await readConfigFile(file);
  if (raw.faults.length > 0) throw new InvalidConfiguration(file, raw.faults);
  const { config, faults } = await checkConfig(raw, file, request);
  if (faults.length > 0) throw new InvalidConfiguration(file, faults);
  return { file, config: deepFreeze(config) };
}

interface CheckedConfig {
  readonly config: Config;
  readonly faults: readonly Fault[];
}

async function checkConfig(raw: RawFile, source: string | null, request: LoadRequest): Promise<CheckedConfig> {
  const folder = source === null ? resolve(request.cwd) : dirname(source);
  const faults: Fault[] = [];
  const copy = copyRaw(raw.value ?? {}, '', faults);
  const map = isMap(copy) ? copy : {};
  if (!isMap(copy)) faults.push({ path: '', message: 'must hold a map of keys' });
  // An editor's key: where it finds the JSON Schema of a JSON file.
  delete map.$schema;
  const origins = applyOverrides(map, request.env, faults);
  const sources = { folder, variables: { ...readDotEnv(folder), ...request.env } };
  const resolved = resolveReferences(map, sources, faults);
  const { checkExpression = expressionFault, checkPattern = patternFault, given = [] } = request;
  const file = readSection(ConfigFile, resolved, '', faults);
  const config = resolveConfig({ file, folder, given, checkExpression, checkPattern, faults }, raw.routes);
  faults.push(...(await othersFaults(request, config, source, faults.length > 0)));
  return { config, faults: firstOfEachPath(faults).map((fault) => tellOrigin(fault, origins)) };
}

/** Where much is wrong already, what others look at may be in pieces, and they have nothing to say. */
async function othersFaults(
  { alsoCheck }: LoadRequest,
  config: Config,
  source: string | null,
  isBroken: boolean,
): Promise<readonly Fault[]> {
  if (!alsoCheck) return [];
  const asked = alsoCheck(config, source);
  return isBroken ? asked.catch(() => []) : asked;
}

function resolveConfig(scope: Scope, routeOrder: readonly string[]): Config {
  const config = {
    server: resolveServer(scope),
    ...resolveStorage(scope),
    orgs: scope.file.orgs,
    workers: resolveWorkers(scope),
    retention: resolveRetention(scope),
    plugins: scope.file.plugins,
    connections: resolveConnections(scope),
    runtimes: resolveRuntimes(scope),
    workspaces: resolveWorkspaces(scope),
    routes: resolveRoutes(scope, routeOrder),
  };
  return { ...config, automations: resolveAutomations(scope, config) };
}

/** A value may fail several checks in a row; the first says what to mend. */
function firstOfEachPath(faults: readonly Fault[]): Fault[] {
  const paths = new Set<string>();
  return faults.filter(({ path }) => !paths.has(path) && paths.add(path));
}

function tellOrigin(fault: Fault, origins: ReadonlyMap<string, string>): Fault {
  const variable = origins.get(fault.path);
  return variable === undefined ? fault : { ...fault, message: `${fault.message} (set by ${variable})` };
}

function deepFreeze<T>(value: T): T {
  if (Array.isArray(value) || isMap(value)) {
    for (const part of Object.values(value)) deepFreeze(part);
    Object.freeze(value);
  }
  return value;
}
