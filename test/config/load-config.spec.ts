import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../src/config/load-config.js';
import { configOf, faultsOf, folderWith, refusalOf } from './config-folder.js';

const DAY = 24 * 3_600_000;

const EMPTY_HERE = (cwd: string) => ({
  server: {
    host: '127.0.0.1',
    port: 8787,
    publicUrl: null,
    bodyLimit: null,
    uploadLimit: 1024 ** 2,
    trustedProxies: [],
    replica: null,
    insecureHttp: false,
  },
  database: { url: `sqlite:${cwd}/data/throughline.db`, directUrl: null, pool: 10 },
  dataDir: `${cwd}/data`,
  orgs: ['default'],
  workers: {
    concurrency: 8,
    perWorkspace: null,
    perOrg: null,
    maxAttempts: 5,
    backoff: { firstMs: 1000, factor: 2, maxMs: 300_000 },
    graceMs: 30_000,
    runs: { concurrency: 4, readyMs: 300_000 },
    leaseMs: 30_000,
    heartbeatMs: 10_000,
    approvalWaitMs: 900_000,
    approvalExpiresMs: DAY,
  },
  plugins: ['discord', 'github', 'linear', 'matrix', 'slack', 'webhook'],
  connections: [],
  runtimes: [],
  workspaces: [],
  routes: [],
  automations: [],
  retention: { payloadsMs: 14 * DAY, receiptsMs: 90 * DAY, transcriptsMs: 90 * DAY, effectsMs: 7 * DAY, auditMs: 365 * DAY },
});

const FULL = `
server: { host: 0.0.0.0, port: 9000, insecureHttp: true, publicUrl: "https://hooks.example.com/", bodyLimit: 2mb, uploadLimit: 3mb, trustedProxies: [10.0.0.0/8, "::1", loopback], replica: a }
database: { url: "sqlite:./store/my.db" }
orgs: [default, acme]
workers: { concurrency: 0, perWorkspace: 2, backoff: { first: 250ms, max: 1h }, lease: 1m, heartbeat: 29s }
connections:
  gh: { plugin: github, org: acme, secrets: [new, old], source: private, bodyLimit: 100, acceptLate: 7d, rate: off, apiUrl: "http://127.0.0.1:1" }
runtimes:
  try: { kind: echo, delay: 300ms, fail: boom }
  agent: { kind: process, command: [node, a, a], cwd: ./agent, env: { LEVEL: 3, file: x }, output: text, timeout: 1m, idleTimeout: 10s }
  other: { kind: sandbox, size: 3 }
workspaces:
  w: { runtime: try, org: acme, tools: [comment], capabilities: { deny: [a], approve: ["b*"] }, approvers: [ann], directory: ./w, env: [PATH], concurrency: 3, instructions: Be brief., limits: { usdPerTurn: 0.5 }, budget: { usdPerDay: 20, timezone: Europe/Berlin }, loop: { turns: 4 } }
routes:
  b: { connection: gh, workspace: w, org: acme, authors: { bots: true, allow: [ann] }, source: public, wake: false, wakeAfter: 5m, whileBusy: collect, debounce: 500ms }
  a: { connection: gh, workspace: w, org: acme, on: ["issues.*"], filter: "a", subject: b, text: c, scope: automation, activation: on_demand, onDead: skip, lifecycle: ignore, afterClose: answer, coalesce: 1, outbound: read_only, approvers: ["role:MEMBER"] }
`;

describe('loading a configuration', () => {
  it('takes no file at all for an empty configuration with the built-in plugins', async () => {
    const cwd = folderWith({});
    expect(await loadConfig({ cwd, env: {} })).toEqual({ file: null, config: EMPTY_HERE(cwd) });
  });

  it.each([
    ['an empty file', ''],
    ['comments alone', '# nothing\n'],
    ['sections whose keys are all commented out', 'server:\n#  port: 1\nconnections:\nroutes:\n'],
  ])('takes %s for an empty configuration', async (_, yaml) => {
    const cwd = folderWith({ 'throughline.config.yaml': yaml });
    expect((await loadConfig({ cwd, env: {} })).config).toEqual(EMPTY_HERE(cwd));
  });

  it('resolves durations, sizes, secrets and paths, and names each item', async () => {
    const cwd = folderWith({ 'throughline.config.yaml': FULL });
    const { config } = await loadConfig({ cwd, env: {} });
    expect(config.server).toEqual({
      ...{ host: '0.0.0.0', port: 9000, publicUrl: 'https://hooks.example.com', bodyLimit: 2 * 1024 ** 2, uploadLimit: 3 * 1024 ** 2 },
      ...{ trustedProxies: ['10.0.0.0/8', '::1', 'loopback'], replica: 'a', insecureHttp: true },
    });
    expect(config.database).toEqual({ url: `sqlite:${cwd}/store/my.db`, directUrl: null, pool: 10 });
    expect(config.dataDir).toBe(join(cwd, 'store'));
    expect(config.workers).toMatchObject({ concurrency: 0, perWorkspace: 2, leaseMs: 60_000, heartbeatMs: 29_000 });
    expect(config.workers.backoff).toEqual({ firstMs: 250, factor: 2, maxMs: 3_600_000 });
    expect(config.connections).toEqual([
      {
        ...{ name: 'gh', org: 'acme', plugin: 'github', source: 'private', secrets: ['new', 'old'], bodyLimit: 100 },
        ...{ acceptLateMs: 7 * 86_400_000, intervalMs: null, rate: null, options: { apiUrl: 'http://127.0.0.1:1' }, insecure: false },
      },
    ]);
    expect(config.runtimes).toEqual([
      { name: 'try', builtIn: true, kind: 'echo', options: { delayMs: 300, fail: 'boom' } },
      {
        ...{ name: 'agent', builtIn: true, kind: 'process' },
        options: {
          ...{ command: ['node', 'a', 'a'], cwd: join(cwd, 'agent'), env: { LEVEL: '3', file: 'x' } },
          ...{ output: 'text', timeoutMs: 60_000, idleTimeoutMs: 10_000, preset: null, args: [] },
        },
      },
      { name: 'other', builtIn: false, kind: 'sandbox', options: { size: 3 } },
    ]);
    expect(config.workspaces).toEqual([
      {
        ...{
          name: 'w',
          org: 'acme',
          runtime: 'try',
          instructions: 'Be brief.',
          directory: join(cwd, 'w'),
          isolate: false,
          repository: null,
        },
        ...{ env: ['PATH'], concurrency: 3, usdPerTurn: 0.5, usdPerConversation: null, usdPerDay: 20, timezone: 'Europe/Berlin' },
        loop: { turns: 4, windowMs: 600_000 },
        ...{ tools: ['comment'], capabilities: { deny: ['a'], approve: ['b*'], allow: ['*'] }, approvers: ['ann'], control: null },
      },
    ]);
  });

  it('fills in what routes leave out, and keeps them in the order of the file', async () => {
    const { routes } = await configOf(FULL);
    expect(routes.map(({ name }) => name)).toEqual(['b', 'a']);
    expect(routes[0]).toEqual({
      ...{ name: 'b', org: 'acme', connection: 'gh', workspace: 'w', instructions: null, endpoint: null, on: ['*'], filter: null },
      ...{ scope: 'subject', subject: null, text: null, activation: 'on_event', replay: false, wake: false, wakeAfterMs: 300_000 },
      authors: { allowSelf: false, allowBots: true, allow: ['ann'] },
      ...{ source: 'public', coalesce: 20, onDead: 'stall', lifecycle: 'follow', afterClose: 'ignore' },
      ...{ edits: 'ignore', whileBusy: 'collect', debounceMs: 500, outbound: 'approval_required', approvers: [] },
    });
    expect(routes[1]).toMatchObject({
      whileBusy: 'steer',
      debounceMs: 2000,
      scope: 'automation',
      activation: 'on_demand',
      replay: false,
      onDead: 'skip',
      afterClose: 'answer',
      coalesce: 1,
      outbound: 'read_only',
      approvers: ['role:MEMBER'],
    });
  });

  it('keeps the order of routes whose names are digits, in YAML and in JSON', async () => {
    const route = { connection: 'gh', workspace: 'w' };
    const rest = `"connections":{"gh":{"plugin":"github"}},"runtimes":{"e":{"kind":"echo"}},"workspaces":{"w":{"runtime":"e"}}`;
    const text = `{"routes":{"10":${JSON.stringify(route)},"a":${JSON.stringify(route)},"2":${JSON.stringify(route)}},${rest}}`;
    for (const name of ['throughline.config.yaml', 'throughline.config.json']) {
      const { routes } = await configOf('', { cwd: folderWith({ [name]: text }) });
      expect(routes.map((each) => each.name)).toEqual(['10', 'a', '2']);
    }
  });

  it('gives a configuration that cannot be changed', async () => {
    const config = await configOf(FULL);
    expect(() => Reflect.set(config.server, 'port', 1) || Reflect.set(config.routes, 0, null)).not.toThrow();
    expect(config.server.port).toBe(9000);
    expect(config.routes[0]).not.toBeNull();
  });

  it('keeps PostgreSQL URLs as they are, with the data folder beside the file', async () => {
    const cwd = folderWith({
      'throughline.config.yaml': 'database: { url: "postgresql://u:p@h:6432/d", directUrl: "postgres://u:p@h/d" }',
    });
    const { config } = await loadConfig({ cwd, env: {} });
    expect(config.database).toEqual({ url: 'postgresql://u:p@h:6432/d', directUrl: 'postgres://u:p@h/d', pool: 10 });
    expect(config.dataDir).toBe(join(cwd, 'data'));
  });
});

describe('the faults of a configuration', () => {
  it('are told all at once, each with its file and path', async () => {
    const cwd = folderWith({
      'throughline.config.yaml': `
conections: {}
server: { prot: 1, host: 0.0.0.0, port: 70000, publicUrl: nowhere }
workers: { lease: 10s, heartbeat: 5s, grace: 30, backoff: { factor: no } }
connections:
  GitHub: { plugin: githbu, secrt: x }
  gh: { plugin: github, secret: { env: NOT_THERE }, rate: { perSeconds: 3 }, org: acmee }
runtimes: { agent: { kind: process, comand: [x] }, later: { kind: agent-server } }
workspaces: { w: { runtime: agnet } }
routes: { r: { connection: hg, workspace: w, coalesce: 0, on: [] }, s: { workspace: w } }
`,
    });
    const file = join(cwd, 'throughline.config.yaml');
    const refusal = await refusalOf(loadConfig({ cwd, env: {} }));
    expect(refusal.file).toBe(file);
    const lines = refusal.message.split('\n');
    expect(lines[0]).toBe(`the configuration has ${refusal.faults.length} faults:`);
    const told = lines.slice(1).map((line) => line.replace(`  ${file}: `, ''));
    for (const fault of [
      'conections: unknown key `conections`; did you mean `connections`?',
      'server.prot: unknown key `prot`; did you mean `port`?',
      'server.port: must be a whole number from 0 to 65535',
      'workers.grace: has no unit; write a duration such as `250ms`, `5s`, `5m`, `1h` or `7d`',
      'workers.backoff.factor: must be a number from 1 to 100',
      'workers.heartbeat: must be more than nothing and less than half of `workers.lease`',
      'connections.GitHub.plugin: there is no plugin `githbu`; did you mean `github`?',
      'connections.gh.secret: the environment variable `NOT_THERE` is not set',
      'connections.gh.rate.perSeconds: unknown key `perSeconds`; did you mean `perSecond`?',
      'connections.gh.org: there is no org `acmee`',
      'runtimes.agent.comand: unknown key `comand`; did you mean `command`?',
      'runtimes.agent.command: is required and must not be empty, unless there is a `preset`',
      'runtimes.later.url: is required: the address of the agent server',
      'runtimes.later.agent: is required: `{ kind: … }` and the options that the server has for that kind',
      'workspaces.w.runtime: there is no runtime `agnet`; did you mean `agent`?',
      'routes.r.connection: there is no connection `hg`; did you mean `gh`?',
      'routes.r.coalesce: must be a whole number from 1 to 1000',
      'routes.r.on: must not be empty',
      'routes.s.connection: is required and must not be empty',
    ]) {
      expect(told).toContain(fault);
    }
    expect(told.filter((line) => /^(server\.host|server\.publicUrl|connections\.GitHub):/.test(line))).toHaveLength(3);
    expect(told).toHaveLength(22);
  });

  it('IDN-7 refuse names that are no slugs, orgs that are not listed, and references from one org into another', async () => {
    const faults = await faultsOf(`
orgs: [default, "1f0c9e52-1b7d-4c3a-8e45-a92d07f4b318", Acme]
connections: { "a b": { plugin: github }, gh: { plugin: github } }
`);
    expect(faults).toEqual([
      'orgs: each must be a name of 1 to 64 lower-case letters, digits, `.`, `_` or `-` that begins and ends with a letter or digit',
      expect.stringContaining('connections.a b: the name must be a name of 1 to 64'),
    ]);
    const across = `
orgs: [one, two]
connections: { gh: { plugin: github, org: one } }
runtimes: { e: { kind: echo } }
workspaces: { w: { runtime: e, org: two } }
routes: { r: { connection: gh, workspace: w, org: two }, s: { connection: gh, workspace: w } }
`;
    expect(await faultsOf(across)).toEqual([
      'routes.r.connection: belongs to the org `one`, and the route to `two`',
      'routes.s.org: there is no org `default`',
      'routes.s.connection: belongs to the org `one`, and the route to `default`',
      'routes.s.workspace: belongs to the org `two`, and the route to `default`',
    ]);
  });

  it('ADM-1 refuse an address that other machines can reach without TLS, unless a flag says so', async () => {
    for (const host of ['0.0.0.0', '::', '192.168.1.2', 'example.com', '127.example.com']) {
      expect(await faultsOf(`server: { host: "${host}" }`)).toEqual([
        expect.stringMatching(/^server\.host: other machines .*insecureHttp: true/),
      ]);
    }
    for (const host of ['127.0.0.1', '127.8.9.1', '::1', 'localhost']) {
      expect((await configOf(`server: { host: "${host}" }`)).server.host).toBe(host);
    }
  });

  it('SIG-2 refuse events without signature but for an explicit flag on loopback', async () => {
    const connection = (keys: string, host = '127.0.0.1') =>
      `server: { host: ${host}, insecureHttp: true }\nplugins: [./own.js]\nconnections: { c: { plugin: own, ${keys} } }`;
    expect(await faultsOf(connection('signature: none'))).toEqual([
      expect.stringContaining('connections.c.signature: `none` takes events from anybody'),
    ]);
    expect(await faultsOf(connection('signature: none, insecure: true', '0.0.0.0'))).toEqual([
      'connections.c.insecure: is allowed only while `server.host` is a loopback address',
    ]);
    expect((await configOf(connection('signature: none, insecure: true'))).connections[0]).toMatchObject({ insecure: true });
  });

  it('refuse a route that trusts more than its connection', async () => {
    const yaml = (connection: string, route: string) => `
connections: { gh: { plugin: github, source: ${connection} } }
runtimes: { e: { kind: echo } }
workspaces: { w: { runtime: e } }
routes: { r: { connection: gh, workspace: w, source: ${route} } }
`;
    expect(await faultsOf(yaml('public', 'private'))).toEqual([
      'routes.r.source: a route cannot trust more than its connection, which is `public`',
    ]);
    expect((await configOf(yaml('private', 'public'))).routes[0]).toMatchObject({ source: 'public' });
  });

  it('WSP-1 CTL-4 name patterns of tools that are none, and a time to decide that is shorter than a turn waits', async () => {
    const faults = await faultsOf(`
workers: { approvalWait: 2h, approvalExpires: 1h }
runtimes: { e: { kind: echo } }
workspaces: { w: { runtime: e, tools: ["{a"], capabilities: { deny: [b, "[c"] } } }
`);
    expect(faults).toEqual([
      'workers.approvalExpires: must be more than nothing and not less than `workers.approvalWait`',
      expect.stringContaining('workspaces.w.tools[0]: '),
      expect.stringContaining('workspaces.w.capabilities.deny[1]: '),
    ]);
  });

  it('give presets and agents of the protocol what they need', async () => {
    const yaml = `
runtimes:
  claude: { kind: process, preset: claude-code, args: [--permission-mode, acceptEdits] }
  codex: { kind: process, preset: codex, command: [/opt/codex] }
  agent: { kind: acp, command: [npx, -y, agent], mode: plan, permissions: deny, keepAlive: 1h }
`;
    const { runtimes } = await configOf(yaml);
    expect(runtimes.map(({ options }) => options)).toMatchObject([
      { command: ['claude'], preset: 'claude-code', args: ['--permission-mode', 'acceptEdits'], timeoutMs: 1_800_000 },
      { command: ['/opt/codex'], preset: 'codex', args: [] },
      { command: ['npx', '-y', 'agent'], mode: 'plan', permissions: 'deny', startTimeoutMs: 120_000, keepAliveMs: 3_600_000 },
    ]);
    expect(await faultsOf('runtimes: { a: { kind: process, command: [x], args: [y] }, b: { kind: process, preset: aider } }')).toEqual([
      'runtimes.a.args: belongs to a `preset`; the arguments of a command stand in `command`',
      'runtimes.b.preset: must be `claude-code` or `codex` or `gemini`',
      'runtimes.b.command: is required and must not be empty, unless there is a `preset`',
    ]);
  });

  it('AUT-6 take an agent server by its address, with the agent that conversations are made with there', async () => {
    const { runtimes } = await configOf(`
runtimes:
  far: { kind: agent-server, url: 'https://agents.example/base/', apiKey: secret, workingDir: /work, agent: { kind: acp, command: [claude], keepAliveMs: 5 } }
`);
    const agent = { kind: 'acp', command: ['claude'], keepAliveMs: 5 };
    expect(runtimes[0]?.options).toEqual({
      ...{ url: 'https://agents.example/base', apiKey: 'secret', agent, workingDir: '/work', timeoutMs: 1_800_000, pollMs: 1000 },
    });
    expect(await faultsOf("runtimes: { a: { kind: agent-server, url: 'here', agent: { command: [x] } } }")).toEqual([
      'runtimes.a.url: must be an address such as `http://127.0.0.1:8788`, without `/api` and without a question mark',
      'runtimes.a.agent.kind: is required and must not be empty',
    ]);
  });

  it('ADM-3 name every feature that is known and not built', async () => {
    const faults = await faultsOf(`
plugins: [github]
connections: { gh: { plugin: github } }
runtimes: { e: { kind: echo }, s: { kind: agent-server, url: 'http://127.0.0.1:1', agent: { kind: echo }, sandbox: local } }
workspaces: { w: { runtime: e, mcp: {} } }
routes: { r: { connection: gh, workspace: w } }
`);
    expect(faults).toContain('workspaces.w.mcp: `mcp` is not built yet in this version');
    expect(faults).toContain('runtimes.s.sandbox: `sandbox` is not built yet in this version');
    expect(faults).toHaveLength(2);
  });

  it('include those of expressions and patterns', async () => {
    const yaml = `
connections: { gh: { plugin: github } }
runtimes: { e: { kind: echo } }
workspaces: { w: { runtime: e } }
routes: { r: { connection: gh, workspace: w, filter: "a[", subject: a.b, text: "a ||", on: ["issues.*", "{a"] } }
`;
    const paths = (await refusalOf(configOf(yaml))).faults.map(({ path }) => path);
    expect(paths).toEqual(['routes.r.filter', 'routes.r.text', 'routes.r.on[1]']);
    const check = () => 'is not wanted here';
    expect(await faultsOf(yaml, { checkExpression: check, checkPattern: () => null })).toEqual([
      'routes.r.filter: is not wanted here',
      'routes.r.subject: is not wanted here',
      'routes.r.text: is not wanted here',
    ]);
  });

  it('tell a plugin that is not enabled from one that does not exist, and leave packages to be loaded', async () => {
    const one = (plugin: string, plugins: string) => `plugins: ${plugins}\nconnections: { c: { plugin: ${plugin} } }`;
    expect(await faultsOf(one('slack', '[github]'))).toEqual([
      'connections.c.plugin: the plugin `slack` is not enabled; add it to `plugins`',
    ]);
    expect(await faultsOf(one('acme', '[github]'))).toEqual(['connections.c.plugin: there is no plugin `acme`']);
    expect((await configOf(one('acme', '[throughline-plugin-acme]'))).connections[0]?.plugin).toBe('acme');
  });

  it.each([
    ['a list where a section belongs', 'server: [1]', 'server: must be a map of keys'],
    ['a text where a section belongs', 'workers: fast', 'workers: must be a map of keys'],
    ['a list where names belong', 'routes: [r]', 'routes: must be a map from names to sections'],
    ['a list as the whole file', '[1]', ': must hold a map of keys'],
    ['the same org twice', 'orgs: [default, default]', 'orgs: must not name the same thing twice'],
    [
      'a number where a text belongs',
      'server: { replica: 1 }',
      'server.replica: must be text, or a reference `{ env: NAME }` or `{ file: PATH }`',
    ],
    [
      'another database',
      'database: { url: "mysql://u:secretword@h/d" }',
      'database.url: must begin with `sqlite:` and a path, or with `postgresql://`',
    ],
    ['a direct URL beside SQLite', 'database: { directUrl: "postgres://h/d" }', 'database.directUrl: goes with a PostgreSQL `url` only'],
    [
      'a size in words',
      'server: { bodyLimit: big }',
      'server.bodyLimit: must be a size such as `25mb` or `512kb`, or a whole number of bytes',
    ],
  ])('refuse %s', async (_, yaml, fault) => {
    expect(await faultsOf(yaml)).toEqual([fault]);
  });
});
