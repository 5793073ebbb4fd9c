import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../src/config/load-config.js';
import { configOf, folderWith, refusalOf } from './config-folder.js';

describe('configuration files', () => {
  it.each([
    ['throughline.config.yaml', 'server:\n  port: 4321\n'],
    ['throughline.config.yml', 'server: { port: 4321 }'],
    ['throughline.config.json', '{\n\t"$schema": "./throughline.schema.json",\n\t"server": { "port": 4321 }\n}'],
    ['throughline.config.js', 'module.exports = { server: { port: 4321 } };'],
    ['throughline.config.mjs', 'export default { server: { port: 4321 } };'],
    ['throughline.config.ts', 'interface Port { port: number }\nexport default { server: { port: 4321 } satisfies Port };'],
  ])('may be %s', async (name, text) => {
    const cwd = folderWith({ [name]: text });
    const { file, config } = await loadConfig({ cwd, env: {} });
    expect(file).toBe(join(cwd, name));
    expect(config.server.port).toBe(4321);
  });

  it('may be a function that gives the configuration', async () => {
    const cwd = folderWith({ 'throughline.config.mjs': 'export default async () => ({ server: { port: 4321 } });' });
    expect((await loadConfig({ cwd, env: {} })).config.server.port).toBe(4321);
  });

  it('are read alone: no rc file, no package.json, no layers', async () => {
    const cwd = folderWith({
      'throughline.config.mjs': 'export default {};',
      '.throughlinerc': 'server.port=1',
      'package.json': '{ "throughline": { "server": { "port": 2 } } }',
      '.config/throughline.mjs': 'export default { server: { port: 3 } };',
    });
    expect((await loadConfig({ cwd, env: { NODE_ENV: 'production' } })).config.server.port).toBe(8787);
  });

  it('are named by the request, else by THROUGHLINE_CONFIG, else found where the server starts', async () => {
    const cwd = folderWith({
      'throughline.config.yaml': 'server: { port: 1 }',
      'a/b.yaml': 'server: { port: 2 }',
      'c.json': '{ "server": { "port": 3 } }',
    });
    const env = { THROUGHLINE_CONFIG: 'a/b.yaml' };
    expect((await loadConfig({ cwd, env: {} })).config.server.port).toBe(1);
    const named = await loadConfig({ cwd, env });
    expect(named.config.server.port).toBe(2);
    expect(named.config.dataDir).toBe(join(cwd, 'a', 'data'));
    expect((await loadConfig({ cwd, env, file: 'c.json' })).config.server.port).toBe(3);
  });

  it('must be there when they are named, have a known form, and be the only one when they are not', async () => {
    const cwd = folderWith({ 'throughline.config.yaml': '', 'throughline.config.json': '{}', 'c.toml': '' });
    expect((await refusalOf(loadConfig({ cwd, env: { THROUGHLINE_CONFIG: 'gone.yaml' } }))).message).toContain(
      `${join(cwd, 'gone.yaml')}: there is no such file`,
    );
    expect((await refusalOf(loadConfig({ cwd, env: {}, file: 'c.toml' }))).message).toContain('a configuration file ends in');
    expect((await refusalOf(loadConfig({ cwd, env: {} }))).message).toContain('exists too; keep one of them');
  });

  it.each([
    ['throughline.config.yaml', 'server:\n  port: 1\n  host: [\nx: 1', 4, 1],
    ['throughline.config.yaml', 'orgs: [a]\norgs: [b]', 2, 1],
    ['throughline.config.json', '{\n  "server": {"port": nope}\n}', 2, undefined],
    ['throughline.config.json', '{\n  "server": {},\n}', 3, 1],
    ['throughline.config.json', '{\n  "orgs": ["default"],\n  "orgs": ["a"]\n}', 3, 3],
  ])('that are no valid %s are refused with the line (%j)', async (name, text, line, column) => {
    const cwd = folderWith({ [name]: text });
    const refusal = await refusalOf(loadConfig({ cwd, env: {} }));
    expect(refusal.faults[0]).toMatchObject({ path: '', ...(column === undefined ? {} : { line, column }) });
    if (column !== undefined) expect(refusal.message).toContain(`${join(cwd, name)}:${line}:${column}: `);
  });

  it.each([
    ['throughline.config.mjs', 'export default {'],
    ['throughline.config.ts', 'throw new Error("nothing here");\nexport default {};'],
    ['throughline.config.mjs', 'export default null;'],
  ])('that cannot be run are refused with the file: %s %j', async (name, text) => {
    const cwd = folderWith({ [name]: text });
    expect((await refusalOf(loadConfig({ cwd, env: {} }))).message).toContain(`${join(cwd, name)}: `);
  });

  it.each(['__proto__', 'constructor', 'prototype'])('that hold the key %s are refused, and change no prototype', async (key) => {
    const files = {
      'throughline.config.yaml': `connections:\n  ${key}: { plugin: github, polluted: yes }\nserver: { ${key}: { polluted: 1 } }`,
      'throughline.config.json': `{ "connections": { "${key}": { "polluted": 1 } }, "server": { "${key}": { "polluted": 1 } } }`,
      'throughline.config.mjs': `export default JSON.parse('{ "connections": { "${key}": {} }, "server": { "${key}": { "polluted": 1 } } }');`,
    };
    for (const [name, text] of Object.entries(files)) {
      const { faults } = await refusalOf(loadConfig({ cwd: folderWith({ [name]: text }), env: {} }));
      expect(faults).toContainEqual({ path: `connections.${key}`, message: `\`${key}\` is refused as a key` });
      expect(faults).toContainEqual({ path: `server.${key}`, message: `\`${key}\` is refused as a key` });
    }
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('that refer to themselves or nest without end are refused', async () => {
    const deep = `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`;
    expect((await refusalOf(configOf(`connections: { c: ${deep} }`))).message).toContain('is nested deeper than 64 levels');
    expect((await refusalOf(configOf('connections: &a { c: *a }'))).message).toContain('nested deeper');
    expect((await refusalOf(configOf('connections: *nowhere'))).message).toContain('an alias (`*name`) has no anchor');
  });
});
