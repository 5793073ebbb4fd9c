import { readFileSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigFault, PLUGIN_API_VERSION, type PluginDefinition } from '../plugin/index.js';
import { TRANSPORT_KINDS } from './check-provider.js';

/** Plugins that ship with the framework, by the name that enables them. */
export const BUILT_IN_PLUGINS = ['discord', 'github', 'linear', 'matrix', 'slack', 'webhook'];

/**
 * Loads the plugins that the configuration names: built-ins by name, others by package or by path, both as seen from `base`
 * (the configuration file). Throws `ConfigFault` naming the entry.
 */
export async function loadPlugins(entries: readonly string[], base: string): Promise<PluginDefinition[]> {
  const definitions: PluginDefinition[] = [];
  for (const [index, entry] of entries.entries()) {
    const definition = checked(entry, index, await load(entry, index, base));
    if (definitions.some(({ name }) => name === definition.name))
      throw new ConfigFault(`plugins[${index}]: ${entry} is a second plugin named ${definition.name}`);
    definitions.push(definition);
  }
  return definitions;
}

async function load(entry: string, index: number, base: string): Promise<unknown> {
  try {
    return await import(BUILT_IN_PLUGINS.includes(entry) ? builtInUrl(entry) : resolveFrom(base, entry));
  } catch (cause) {
    throw new ConfigFault(
      `plugins[${index}]: cannot load ${entry}: ${(cause as Error).message}; install the package, or correct the path`,
      { cause },
    );
  }
}

function builtInUrl(name: string): string {
  const extension = path.extname(import.meta.url);
  return new URL(`../../plugins/${name}/index${extension}`, import.meta.url).href;
}

function resolveFrom(base: string, entry: string): string {
  if (entry.startsWith('.') || path.isAbsolute(entry))
    return pathToFileURL(createRequire(base).resolve(path.resolve(path.dirname(base), entry))).href;
  try {
    return pathToFileURL(createRequire(base).resolve(entry)).href;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') throw error;
    return importOnlyEntry(base, entry, error);
  }
}

/** A package that exports to `import` alone is invisible to `require.resolve`. */
function importOnlyEntry(base: string, entry: string, error: unknown): string {
  const manifest = findPackageJSON(entry, pathToFileURL(base));
  if (!manifest) throw error;
  const { exports } = JSON.parse(readFileSync(manifest, 'utf8')) as { exports?: unknown };
  const target = importTarget(exports);
  if (target === null) throw error;
  return pathToFileURL(path.join(path.dirname(manifest), target)).href;
}

function importTarget(exports: unknown): string | null {
  if (typeof exports === 'string') return exports;
  if (typeof exports !== 'object' || exports === null) return null;
  const map = exports as Record<string, unknown>;
  return importTarget(map['.'] ?? map.import ?? map.default ?? null);
}

function checked(entry: string, index: number, loaded: unknown): PluginDefinition {
  const outer = (loaded as { default?: unknown }).default;
  const definition = ((outer as { default?: unknown } | undefined)?.default ?? outer) as Partial<PluginDefinition> | undefined;
  const where = `plugins[${index}]: ${entry}`;
  if (
    !definition ||
    typeof definition.name !== 'string' ||
    typeof definition.provider !== 'function' ||
    typeof definition.module !== 'function'
  )
    throw new ConfigFault(`${where} is no plugin: its default export must be what definePlugin(…) of throughline/plugin gives`);
  if (definition.apiVersion !== PLUGIN_API_VERSION)
    throw new ConfigFault(
      `${where} speaks plugin API ${definition.apiVersion}, this host speaks ${PLUGIN_API_VERSION}; install a version of it that fits`,
    );
  if (typeof definition.options !== 'function') throw new ConfigFault(`${where} has no options class`);
  const { receives = [] } = definition;
  const unknown = receives.find((kind) => !TRANSPORT_KINDS.includes(kind));
  if (unknown !== undefined)
    throw new ConfigFault(`${where} receives its events by ${unknown}; the ways that this host knows are ${TRANSPORT_KINDS.join(', ')}`);
  return definition as PluginDefinition;
}
