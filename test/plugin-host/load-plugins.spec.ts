import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigFault } from '../../src/plugin/index.js';
import { loadPlugins } from '../../src/plugin-host/load-plugins.js';

let folder: string;
const config = () => path.join(folder, 'throughline.config.yaml');

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-plugins-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A plugin as its author publishes it, compiled: it needs nothing of this repository. */
function pluginSource(name: string, change: Record<string, unknown> = {}): string {
  const fields = {
    name: JSON.stringify(name),
    apiVersion: '1',
    options: 'Options',
    module: 'AcmeModule',
    provider: 'AcmeProvider',
    ...change,
  };
  return `
    class Options {}
    class AcmeModule {}
    class AcmeProvider { transports = []; subjects = { parse: () => ({ kind: 'recorded', reason: 'sample', subject: null }) }; }
    export default { ${Object.entries(fields)
      .map(([key, value]) => `${key}: ${value}`)
      .join(', ')} };`;
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), text);
}

function writePackage(name: string, manifest: Record<string, unknown>, source = pluginSource('acme')): void {
  write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', type: 'module', ...manifest }));
  write(`node_modules/${name}/dist/index.js`, source);
}

const built = new URL('../../dist/src/plugin-host/load-plugins.js', import.meta.url).href;

/** By the built program: a test's own modules are resolved by the test runner, which sees no packages elsewhere. */
function namesByNode(...entries: string[]): string[] {
  const script = `const { loadPlugins } = await import(${JSON.stringify(built)});
    const loaded = await loadPlugins(${JSON.stringify(entries)}, ${JSON.stringify(config())});
    process.stdout.write(JSON.stringify(loaded.map(({ name }) => name)));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })) as string[];
}

const namesOf = async (...entries: string[]) => (await loadPlugins(entries, config())).map(({ name }) => name);

describe('loading plugins', () => {
  it('loads those that ship with the framework by name, in the order of the file', async () => {
    expect(await namesOf('slack', 'github', 'linear')).toEqual(['slack', 'github', 'linear']);
  });

  it('loads a path as seen from the configuration file', async () => {
    write('my-plugin/index.mjs', pluginSource('mine'));
    expect(await namesOf('./my-plugin/index.mjs')).toEqual(['mine']);
  });

  it.each([
    ['exports for import alone', { exports: { '.': { import: './dist/index.js' } } }],
    ['nested conditions', { exports: { '.': { import: { types: './dist/index.d.ts', default: './dist/index.js' } } } }],
    ['a plain export', { exports: './dist/index.js' }],
    ['a main file', { main: './dist/index.js' }],
  ])('loads a package of the configuration file’s own project, with %s', (_, manifest) => {
    writePackage('throughline-plugin-acme', manifest);
    expect(namesByNode('throughline-plugin-acme')).toEqual(['acme']);
  });

  it('says which entry cannot be loaded, and what to do', async () => {
    await expect(namesOf('github', 'throughline-plugin-nowhere')).rejects.toThrow(ConfigFault);
    await expect(namesOf('github', 'throughline-plugin-nowhere')).rejects.toThrow(
      /plugins\[1\]: cannot load throughline-plugin-nowhere: .*install the package/s,
    );
  });

  it.each([
    ['another API version', { apiVersion: '2' }, /speaks plugin API 2, this host speaks 1/],
    ['no provider', { provider: 'undefined' }, /is no plugin: its default export/],
    ['no options class', { options: 'undefined' }, /has no options class/],
    ['the name of another', { name: '"github"' }, /is a second plugin named github/],
  ])('refuses a plugin with %s', async (_, change, message) => {
    write('acme.mjs', pluginSource('acme', change));
    await expect(namesOf('github', './acme.mjs')).rejects.toThrow(message);
  });
});
