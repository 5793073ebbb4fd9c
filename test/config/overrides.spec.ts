import { describe, expect, it } from '@jest/globals';
import { configOf, faultsOf } from './config-folder.js';

const FILE = `
connections: { my-repo: { plugin: github, secret: old, apiUrl: "http://a" } }
runtimes: { agent: { kind: process, command: [a] } }
`;

describe('environment overrides', () => {
  it('set keys without regard to case, underscores, dashes and dots', async () => {
    const config = await configOf(FILE, {
      env: {
        THROUGHLINE_SERVER__PORT: '9999',
        THROUGHLINE_SERVER__PUBLIC_URL: 'https://a.example',
        THROUGHLINE_SERVER__insecurehttp: 'true',
        THROUGHLINE_DATABASE__URL: 'postgresql://db/x',
        THROUGHLINE_WORKERS__BACKOFF__FIRST: '2s',
        THROUGHLINE_WORKERS__MAX_ATTEMPTS: '7',
        THROUGHLINE_ORGS: '[default, acme]',
        THROUGHLINE_CONNECTIONS__MY_REPO__SECRET: 'new',
        THROUGHLINE_CONNECTIONS__MYREPO__API_URL: 'http://b',
        THROUGHLINE_CONNECTIONS__MY_REPO__RATE: 'off',
        THROUGHLINE_RUNTIMES__AGENT__IDLE_TIMEOUT: '3s',
        THROUGHLINE_RUNTIMES__AGENT__ENV__LOG_LEVEL: 'debug',
      },
    });
    expect(config.server).toMatchObject({ port: 9999, publicUrl: 'https://a.example', insecureHttp: true });
    expect(config.database.url).toBe('postgresql://db/x');
    expect(config.workers).toMatchObject({ maxAttempts: 7, backoff: { firstMs: 2000 } });
    expect(config.orgs).toEqual(['default', 'acme']);
    expect(config.connections).toEqual([
      expect.objectContaining({ name: 'my-repo', secrets: ['new'], rate: null, options: { apiUrl: 'http://b' } }),
    ]);
    expect(config.runtimes[0]?.options).toMatchObject({ idleTimeoutMs: 3000, env: { LOG_LEVEL: 'debug' } });
  });

  it('make entries and keys that the file does not have, also without a file', async () => {
    const config = await configOf('', {
      env: {
        THROUGHLINE_CONNECTIONS__GITHUB__PLUGIN: 'github',
        THROUGHLINE_CONNECTIONS__GITHUB__SECRET__ENV: 'HOOK',
        THROUGHLINE_CONNECTIONS__GITHUB__BOT_NAME: 'robot',
        HOOK: 'from the environment',
      },
    });
    expect(config.connections).toEqual([
      expect.objectContaining({ name: 'github', plugin: 'github', secrets: ['from the environment'], options: { botName: 'robot' } }),
    ]);
  });

  it.each(['123456789', 'true', 'null', '#x', 'a: b', '[a', '0x10', '*a', '{ env: HOOK }'])(
    'take a secret %j as it stands',
    async (secret) => {
      const { connections } = await configOf(FILE, { env: { THROUGHLINE_CONNECTIONS__MY_REPO__SECRET: secret } });
      expect(connections[0]?.secrets).toEqual([secret]);
    },
  );

  it('take the quotes of a YAML scalar off', async () => {
    expect((await configOf('', { env: { THROUGHLINE_SERVER__HOST: '"127.0.0.2"' } })).server.host).toBe('127.0.0.2');
  });

  it('skip the reserved names and the variables of runtimes and runs', async () => {
    const names = ['ADMIN_TOKEN', 'ENCRYPTION_KEY', 'TEST_PG_URL', 'CONVERSATION_ID', 'TURN_ID', 'SESSION_ID', 'WORKSPACE', 'MCP_URL'];
    names.push('MCP_TOKEN', 'RUN_ID', 'ORG', 'AUTOMATION_ID', 'EVENT', 'CALLBACK_URL', 'PHASE_URL', 'RUN_TOKEN', 'AGENT_SERVER_URL');
    const env = Object.fromEntries(names.map((name) => [`THROUGHLINE_${name}`, 'x']));
    expect((await configOf('', { env: { ...env, THROUGHLINES__X: '1', OTHER: 'x' } })).server.port).toBe(8787);
  });

  it('that name no key are faults with the variable and the near key', async () => {
    const faults = await faultsOf(FILE, {
      env: {
        THROUGHLINE_SERVR__PORT: '1',
        THROUGHLINE_SERVER__PROT: '1',
        THROUGHLINE_SERVER__PORT__DEEPER: '1',
        THROUGHLINE_: '1',
        THROUGHLINE___PROTO____POLLUTED: '1',
        THROUGHLINE_CONNECTIONS__CONSTRUCTOR__SECRET: '1',
        THROUGHLINE_WORKSPACES__W__MCP__URL: '1',
      },
    });
    expect(faults).toEqual([
      'THROUGHLINE_: has an empty level; two underscores stand between levels',
      'THROUGHLINE_CONNECTIONS__CONSTRUCTOR__SECRET: `constructor` is refused as a key',
      'THROUGHLINE_SERVER__PORT__DEEPER: `server.port` is a value, and has no key `deeper`',
      'THROUGHLINE_SERVER__PROT: unknown key `prot` in `server`; did you mean `port`?',
      'THROUGHLINE_SERVR__PORT: unknown key `servr`; did you mean `server`?',
      'THROUGHLINE___PROTO____POLLUTED: has an empty level; two underscores stand between levels',
      'workspaces.w.runtime: is required and must not be empty',
      'workspaces.w.mcp: `mcp` is not built yet in this version',
    ]);
  });

  it('that may mean one of two entries, or hold a key that could reach a prototype, are faults', async () => {
    const file = 'connections: { my-repo: { plugin: github }, my_repo: { plugin: github } }';
    expect(await faultsOf(file, { env: { THROUGHLINE_CONNECTIONS__MYREPO__SECRET: 'x' } })).toEqual([
      'THROUGHLINE_CONNECTIONS__MYREPO__SECRET: may mean `my-repo` or `my_repo` of `connections`; set it in the file',
    ]);
    expect(await faultsOf('', { env: { THROUGHLINE_CONNECTIONS: '{ __proto__: { plugin: github } }' } })).toEqual([
      'connections.__proto__: `__proto__` is refused as a key',
    ]);
  });

  it('that hold a wrong value are faults that name the path and the variable', async () => {
    expect(await faultsOf('', { env: { THROUGHLINE_SERVER__PORT: 'high', THROUGHLINE_WORKERS: '3' } })).toEqual([
      'server.port: must be a whole number from 0 to 65535 (set by THROUGHLINE_SERVER__PORT)',
      'workers: must be a map of keys (set by THROUGHLINE_WORKERS)',
    ]);
  });
});
