import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { configSchema } from '../../src/config/json-schema.js';
import { loadConfig } from '../../src/config/load-config.js';
import { configReference } from '../../src/config/reference.js';
import { configTemplate, envExample } from '../../src/config/template.js';
import { configOf, folderWith } from './config-folder.js';

const ROOT = join(import.meta.dirname, '..', '..');
const ENVIRONMENT = { GITHUB_WEBHOOK_SECRET: 'g', SLACK_SIGNING_SECRET: 's', LINEAR_WEBHOOK_SECRET: 'l' };

/** The template as a person leaves it who takes every block. */
function uncommented(): string {
  return configTemplate().replace(/^#(?=[a-z]| {2})/gm, '');
}

describe('what is made from the schema classes', () => {
  it('throughline.schema.json is current (else: build, then node dist/src/config/generate.js)', () => {
    expect(JSON.parse(readFileSync(join(ROOT, 'throughline.schema.json'), 'utf8'))).toEqual(configSchema());
  });

  it('docs/configuration.md is current (else: build, then node dist/src/config/generate.js)', () => {
    expect(readFileSync(join(ROOT, 'docs', 'configuration.md'), 'utf8')).toBe(configReference());
  });

  it('documents every built key, and none that is not built', () => {
    const page = configReference();
    for (const key of ['publicUrl', 'directUrl', 'maxAttempts', 'acceptLate', 'perSecond', 'idleTimeout', 'coalesce', 'afterClose']) {
      expect(page).toContain(`| \`${key}\` |`);
    }
    expect(page).not.toContain('| `mcp` |');
    expect(JSON.stringify(configSchema())).not.toContain('not built');
  });

  it('the JSON Schema takes what the loader takes and refuses what it refuses', () => {
    const validate = new Ajv2020({ allowUnionTypes: true }).compile(configSchema());
    for (const yaml of [
      uncommented(),
      'server:\nroutes:',
      'connections: { c: { plugin: x, rate: off, own: 1 } }',
      'runtimes: { r: { kind: mine, own: 1 } }',
      'automations: { a: { triggers: [{ source: c, on: [x], authors: { bots: true } }, { schedule: "0 9 * * *" }], prompt: x, timeout: 5m } }',
    ]) {
      expect([validate(parse(yaml)), validate.errors]).toEqual([true, null]);
    }
    for (const yaml of [
      'conections: {}',
      'server: { port: text }',
      'workers: { lease: 30 }',
      'connections: { C: { plugin: x } }',
      'connections: { c: {} }',
      'runtimes: { r: { kind: echo, command: [x] } }',
      'runtimes: { r: { kind: process } }',
      'automations: { a: { prompt: x } }',
      'automations: { a: { triggers: [{ sorce: x }] } }',
      'automations: { a: { triggers: {} } }',
    ]) {
      expect([yaml, validate(parse(yaml))]).toEqual([yaml, false]);
    }
  });
});

describe('the template', () => {
  it('loads as it stands, as an empty configuration', async () => {
    expect(parse(configTemplate())).toBeNull();
    const cwd = folderWith({});
    expect(await configOf(configTemplate())).toMatchObject({
      ...(await loadConfig({ cwd, env: {} })).config,
      database: {},
      dataDir: expect.any(String),
    });
  });

  it('loads with every block in use, and its variables are those of the .env example', async () => {
    const config = await configOf(uncommented(), { env: ENVIRONMENT });
    expect(config.connections.map(({ name, secrets }) => [name, secrets])).toEqual([
      ['github', ['g']],
      ['slack', ['s']],
      ['linear', ['l']],
    ]);
    expect(config.routes.map(({ name }) => name)).toEqual(['github-comments', 'slack-threads', 'linear-issues']);
    expect(config.automations.map(({ spec }) => spec.name)).toEqual(['weekly-report']);
    expect(
      envExample()
        .match(/^[A-Z_]+(?==)/gm)
        ?.sort(),
    ).toEqual(Object.keys(ENVIRONMENT).sort());
  });

  it('tells editors where the schema is', () => {
    expect(configTemplate('./throughline.schema.json')).toMatch(/^# yaml-language-server: \$schema=\.\/throughline\.schema\.json\n/);
  });
});
