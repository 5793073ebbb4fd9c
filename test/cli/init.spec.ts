import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ensureConfig } from '../../src/cli/ensure-config.js';
import { configTemplate, envExample } from '../../src/config/template.js';
import { folderWith } from '../config/config-folder.js';
import { call } from './call.js';

const textOf = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8');

describe('throughline init', () => {
  it('writes a configuration that loads, and what belongs beside it', async () => {
    const cwd = folderWith({});
    const { code, stdout } = await call(cwd, ['init', 'new/project']);
    const folder = join(cwd, 'new/project');
    expect([code, textOf(folder, 'throughline.config.yaml')]).toEqual([0, configTemplate()]);
    expect(textOf(folder, '.env.example')).toBe(envExample());
    expect(textOf(folder, '.gitignore').split('\n')).toEqual(expect.arrayContaining(['data/', '.env']));
    expect(textOf(folder, '.npmrc').split('\n')).toContain('ignore-scripts=true');
    expect(stdout).toContain('created  throughline.config.yaml');
    expect((await call(folder, ['migrate', 'status'])).code).toBe(0);
  });

  it('ends with the next steps as they are to be typed where it was called', async () => {
    const cwd = folderWith({});
    const npm = await call(cwd, ['init', 'mine'], { env: { npm_lifecycle_event: 'cli' } });
    expect(npm.stdout).toContain('npm run cli -- doctor --config mine/throughline.config.yaml');
    expect(npm.stdout).toContain('cp mine/.env.example mine/.env');
    const npx = await call(folderWith({}), ['init'], { env: { npm_command: 'exec' } });
    expect(npx.stdout).toMatch(/npx throughline start$/m);
  });

  it('refuses with 2 where there is a configuration of any kind, and writes nothing', async () => {
    const cwd = folderWith({ 'throughline.config.json': '{}' });
    const { code, stderr } = await call(cwd, ['init']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${cwd}/throughline.config.json exists already`)]);
    expect(existsSync(join(cwd, '.env.example'))).toBe(false);
  });

  it('leaves files that exist as they are, and says which and what they lack', async () => {
    const cwd = folderWith({ '.gitignore': 'dist\n/data\n', '.npmrc': 'ignore-scripts=true\n' });
    const { code, stdout } = await call(cwd, ['init']);
    expect([code, textOf(cwd, '.gitignore'), textOf(cwd, '.npmrc')]).toEqual([0, 'dist\n/data\n', 'ignore-scripts=true\n']);
    expect(stdout).toMatch(/exists {3}\.gitignore +left as it is; add: \.env\n/);
    expect(stdout).toMatch(/exists {3}\.npmrc +left as it is\n/);
  });
});

describe('the configuration that a first start writes', () => {
  it('is written once, with a line about it', async () => {
    const cwd = folderWith({ 'throughline.schema.json': '{}' });
    const printed: string[] = [];
    const file = await ensureConfig({ cwd, env: {} }, (text) => printed.push(text));
    expect([file, printed]).toEqual([
      join(cwd, 'throughline.config.yaml'),
      [`created ${cwd}/throughline.config.yaml: a configuration with everything commented out\n`],
    ]);
    expect(textOf(cwd, 'throughline.config.yaml')).toBe(configTemplate('./throughline.schema.json'));
    expect(await ensureConfig({ cwd, env: {} }, (text) => printed.push(text))).toBeNull();
    expect(printed).toHaveLength(1);
  });

  it('is not written where a file was asked for', async () => {
    const cwd = folderWith({});
    expect(await ensureConfig({ cwd, env: {}, file: 'other.yaml' })).toBeNull();
    expect(await ensureConfig({ cwd, env: { THROUGHLINE_CONFIG: 'other.yaml' } })).toBeNull();
    expect(existsSync(join(cwd, 'throughline.config.yaml'))).toBe(false);
  });
});
