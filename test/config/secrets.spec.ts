import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../src/config/load-config.js';
import { configOf, faultsOf, folderWith, refusalOf } from './config-folder.js';

const SECRET = 'hunter2-is-the-secret';

describe('references', () => {
  it('stand for environment variables and files wherever a text may stand', async () => {
    const cwd = folderWith({
      'throughline.config.yaml': `
database: { url: { env: DATABASE_URL } }
connections:
  gh: { plugin: github, secret: { env: HOOK }, token: { file: secrets/token }, nested: { list: [{ env: HOOK }] } }
  li: { plugin: linear, secrets: [{ file: secrets/token }, old] }
runtimes: { p: { kind: process, command: [run, { env: HOOK }], env: { KEY: { env: HOOK } } }, q: { kind: process, command: [x], env: { env: plain } } }
workspaces: { w: { runtime: p, instructions: { file: ./agent.md } } }
`,
      'secrets/token': 'from-a-file\n',
      'agent.md': 'Two\nlines\n\n',
    });
    const { config } = await loadConfig({ cwd, env: { HOOK: SECRET, DATABASE_URL: 'postgres://db/x' } });
    expect(config.database.url).toBe('postgres://db/x');
    expect(config.connections[0]).toMatchObject({ secrets: [SECRET], options: { token: 'from-a-file', nested: { list: [SECRET] } } });
    expect(config.connections[1]?.secrets).toEqual(['from-a-file', 'old']);
    expect(config.runtimes[0]?.options).toMatchObject({ command: ['run', SECRET], env: { KEY: SECRET } });
    expect(config.runtimes[1]?.options).toMatchObject({ env: { env: 'plain' } });
    expect(config.workspaces[0]?.instructions).toBe('Two\nlines\n');
  });

  it('look into .env beside the configuration after the real environment, which stays as it is', async () => {
    const yaml = 'connections: { a: { plugin: github, secret: { env: A } }, b: { plugin: github, secret: { env: B } } }';
    const cwd = folderWith({ 'throughline.config.yaml': yaml, '.env': 'A="from .env"\nB=from-dotenv\nTHROUGHLINE_SERVER__PORT=1\n' });
    const env = { B: 'real' };
    const { config } = await loadConfig({ cwd, env });
    expect(config.connections.map(({ secrets }) => secrets)).toEqual([['from .env'], ['real']]);
    expect(config.server.port).toBe(8787);
    expect(env).toEqual({ B: 'real' });
    expect(process.env.A).toBeUndefined();
  });

  it('to what is not there, or is empty, are faults that name it', async () => {
    const yaml = (reference: string) => `connections: { gh: { plugin: github, secret: ${reference} } }`;
    const at = 'connections.gh.secret';
    expect(await faultsOf(yaml('{ env: HOOK_SECRET }'))).toEqual([`${at}: the environment variable \`HOOK_SECRET\` is not set`]);
    expect(await faultsOf(yaml('{ env: toString }'))).toEqual([`${at}: the environment variable \`toString\` is not set`]);
    expect(await faultsOf(yaml('{ env: E }'), { env: { E: '' } })).toEqual([`${at}: the environment variable \`E\` is empty`]);
    expect(await faultsOf(yaml('{ file: gone }'))).toEqual([`${at}: the file \`gone\` cannot be read (ENOENT)`]);
    expect(await faultsOf(yaml('""'))).toEqual([`${at}: must not be empty`]);
    expect(await faultsOf(yaml('{ env: A, file: b }'))).toEqual([
      `${at}: must be text, or a reference \`{ env: NAME }\` or \`{ file: PATH }\``,
    ]);
    expect(await faultsOf('connections: { gh: { plugin: github, secrets: [] } }')).toEqual(['connections.gh.secrets: must not be empty']);
  });
});

describe('secrets', () => {
  it.each([
    ['where a number belongs', 'server: { port: { env: S } }'],
    ['where a flag belongs', 'server: { insecureHttp: { env: S } }'],
    ['where a choice belongs', 'connections: { c: { plugin: github, source: { env: S } } }'],
    ['where a duration belongs', 'workers: { lease: { env: S } }'],
    ['where a size belongs', 'server: { bodyLimit: { env: S } }'],
    ['where a section belongs', 'server: { env: S }'],
    ['where names belong', 'routes: { env: S }'],
    ['where a list belongs', 'plugins: { env: S }'],
    ['in a URL that is refused', 'server: { publicUrl: { env: S } }'],
    ['in a database URL that is refused', `database: { url: "mysql://u:${SECRET}@h/d" }`],
    ['as literal twice in a list', `connections: { c: { plugin: github, secrets: [${SECRET}, ${SECRET}] } }`],
    ['in broken YAML', `connections:\n  c:\n    secret: ${SECRET}: x\n`],
    ['in a quote that does not end', `connections: { c: { secret: "${SECRET} } }`],
    ['after an alias mark', `secret: *${SECRET}`],
    ['after a tag mark', `secret: !${SECRET} x`],
  ])('appear in no fault: %s', async (_, yaml) => {
    const refusal = await refusalOf(configOf(yaml, { env: { S: SECRET } }));
    expect(JSON.stringify(refusal.faults) + refusal.message + refusal.stack).not.toContain(SECRET);
  });

  it('appear in no fault of broken JSON', async () => {
    for (const text of [`{"a": ${SECRET}}`, `{"a": "${SECRET}" "b"}`, `{"a": "${SECRET}`, `{"a": "${SECRET}\n"}`]) {
      const cwd = folderWith({ 'throughline.config.json': text });
      const refusal = await refusalOf(loadConfig({ cwd, env: {} }));
      expect(JSON.stringify(refusal.faults) + refusal.message + refusal.stack).not.toContain(SECRET);
      expect(refusal.file).toBe(join(cwd, 'throughline.config.json'));
    }
  });

  it('appear in no fault of an override', async () => {
    const env = { THROUGHLINE_SERVER__PORT: SECRET, THROUGHLINE_ORGS: `[${SECRET}`, THROUGHLINE_NOWHERE: SECRET };
    const refusal = await refusalOf(configOf('', { env }));
    expect(refusal.faults).toHaveLength(3);
    expect(refusal.message).not.toContain(SECRET);
  });
});
