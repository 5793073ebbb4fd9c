import { builtinModules } from 'node:module';
import { resolveRelative } from '../../scripts/house/imports.mjs';
import { conceptOf, type ImportGraph, importGraph, kindOf } from './core-files.js';

/** Who may import whom, by the folder under `src`. A layer may always import itself; `plugin/errors` alone is one file of a layer. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  plugin: [],
  database: ['plugin/errors'],
  core: ['plugin', 'database'],
  http: ['plugin'],
  config: ['plugin', 'core'],
  'plugin-host': ['plugin', 'core', 'database'],
  runtimes: ['plugin', 'core', 'database'],
  workspaces: ['plugin', 'core', 'database'],
  worker: ['plugin', 'core', 'database'],
  ingress: ['plugin', 'http', 'core', 'database'],
  tools: ['plugin', 'http', 'core', 'database'],
  automations: ['plugin', 'http', 'core', 'database', 'runtimes'],
  'agent-server': ['plugin', 'core', 'database', 'runtimes'],
  testing: ['plugin', 'http', 'core', 'config', 'plugin-host', 'ingress'],
};

/** What composes the rest may import all of it, and nothing below imports these. */
const TOP_LAYERS = [
  'admin',
  'chaos',
  'cli',
  'compose',
  'demo',
  'testing/host',
  'server',
  'run-server',
  'main',
  'app.module',
  'require-node',
];

const PUBLIC_API = 'throughline/plugin';
const FRAMEWORK = ['@nestjs/common', 'class-validator', 'class-transformer', 'reflect-metadata'];

/** Every import that goes where it may not, as `file:line imports x: why`. */
export function violationsIn(sources: ReadonlyMap<string, string>): string[] {
  const graph = importGraph(sources);
  return [...graph].flatMap(([file, imports]) =>
    imports.flatMap(({ specifier, line }) => {
      const fault = file.startsWith('plugins/') ? faultOfPlugin(file, specifier) : faultOfSource(file, specifier, graph);
      return fault ? [`${file}:${line} imports ${specifier}: ${fault}`] : [];
    }),
  );
}

function faultOfPlugin(file: string, specifier: string): string | null {
  const [, plugin] = file.split('/');
  const target = resolveRelative(file, specifier);
  if (target !== null) return target.startsWith(`plugins/${plugin}/`) ? null : 'a plugin imports no file out of its own folder';
  if (specifier === PUBLIC_API || isBuiltin(specifier)) return null;
  if (specifier.startsWith('throughline')) return `a plugin knows the framework as ${PUBLIC_API} alone`;
  if (FRAMEWORK.includes(specifier) || file === `plugins/${plugin}/${plugin}.client.ts`) return null;
  return `a plugin's packages are imported in ${plugin}.client.ts alone`;
}

function faultOfSource(file: string, specifier: string, graph: ImportGraph): string | null {
  const target = resolveRelative(file, specifier);
  if (target === null) return specifier.startsWith('throughline') ? 'the framework imports its own files by relative paths' : null;
  const [from, to] = [layerOf(file), layerOf(target)];
  if (!target.startsWith('src/')) return 'the framework imports nothing from outside src';
  if (from === null || to === null) return `the layer of ${from === null ? file : target} is not known`;
  if (from === to) return from === 'core' ? faultInCore(file, target, graph) : null;
  if (TOP_LAYERS.includes(from)) return null;
  const allowed = MAY_IMPORT[from] ?? [];
  if (!allowed.some((name) => name === to || target === `src/${name}.ts`))
    return `${from} may import ${allowed.join(', ') || 'nothing of ours'}`;
  if (from === 'config' && to === 'core' && kindOf(target, graph) !== 'pure') return 'config may use what is pure in core';
  return null;
}

/** Inside core: pure ← table ← store ← use case, and a concept leaves another's use cases to the folders that put them together. */
function faultInCore(file: string, target: string, graph: ImportGraph): string | null {
  const [from, to] = [kindOf(file, graph), kindOf(target, graph)];
  if (from === 'pure' && to !== 'pure') return `a pure file may not use a ${to}`;
  if (from === 'table' && (to === 'store' || to === 'use case')) return `a table may not use a ${to}`;
  const [concept, other] = [conceptOf(file), conceptOf(target)];
  if (to !== 'use case' || concept === null || concept === other) return null;
  if (other === null && target.split('/').length === 3) return null; // a file of core itself, made for all concepts
  return `the concept ${concept} may not use a use case of ${other ?? target}`;
}

/** The kit's checks stand below what composes; its host is a whole server, and a layer of its own. */
function layerOf(file: string): string | null {
  if (file.startsWith('src/testing/host/')) return 'testing/host';
  const layer = /^src\/([^/]+?)(?:\.ts)?(?:\/|$)/.exec(file)?.[1];
  return layer !== undefined && (layer in MAY_IMPORT || TOP_LAYERS.includes(layer)) ? layer : null;
}

function isBuiltin(specifier: string): boolean {
  return specifier.startsWith('node:') && builtinModules.includes(specifier.slice('node:'.length).split('/')[0] ?? '');
}
