import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseSync } from '@swc/core';
import { parse, stringify } from 'yaml';
import { configureHost } from '../src/compose/configured-host.js';
import { loadConfig } from '../src/config/load-config.js';
import { BuiltProcess, build } from './demo/child.js';
import { type Block, blocksIn, blocksOf, documents, root } from './readme-blocks.js';

const LONG = 240_000;
const WHOLE = ['server', 'database', 'orgs', 'workers', 'plugins', 'connections', 'runtimes', 'workspaces', 'routes', 'automations'];
const CLI = 'cli/throughline.js';
const CONFIG = ['--config', 'my-agents/throughline.config.yaml'];

let folder: string;
let env: Record<string, string>;
let server: BuiltProcess | undefined;

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-readme-'));
  env = { THROUGHLINE_SERVER__PORT: String(await freePort()), COLUMNS: '100' };
  await build();
}, LONG);

afterAll(async () => {
  await server?.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

function run(entry: string, ...args: string[]): BuiltProcess {
  return new BuiltProcess(entry, args, { cwd: folder, env });
}

async function succeeds(process: BuiltProcess): Promise<string> {
  const code = await process.end();
  if (code !== 0) throw new Error(`ended with ${code}:\n${process.output}`);
  return process.output;
}

/** A block that shows single keys stands for a configuration that has them where they belong. */
function wholeOf(text: string): string {
  const { secret, instructions, ...rest } = parse(text) as Record<string, unknown>;
  if (Object.keys(rest).every((key) => WHOLE.includes(key)) && secret === undefined) return text;
  const parts = {
    connections: { c: { plugin: 'github', secret } },
    runtimes: { r: { kind: 'echo' } },
    workspaces: { w: { runtime: 'r', instructions } },
  };
  return stringify({ ...parts, ...rest });
}

/** Plugins of others that a block names: there, as if installed or written. */
function installPlugins(text: string, own: string): void {
  const { plugins = [] } = parse(text) as { plugins?: string[] };
  mkdirSync(path.join(own, 'node_modules'));
  symlinkSync(`${root}node_modules/@nestjs`, path.join(own, 'node_modules', '@nestjs'));
  for (const entry of plugins.filter((name) => /\W/.test(name))) {
    const file = entry.startsWith('.') ? path.join(own, entry) : path.join(own, 'node_modules', entry, 'index.js');
    mkdirSync(path.dirname(file), { recursive: true });
    const name = entry.replaceAll(/\W+/g, '-').replaceAll(/^-|-$/g, '');
    writeFileSync(path.join(path.dirname(file), 'package.json'), JSON.stringify({ name, type: 'module', exports: './index.js' }));
    writeFileSync(file, readFileSync(`${root}test/scenarios/plugins/told.mjs`, 'utf8').replace("name: 'told'", `name: '${name}'`));
  }
}

const SECRET = 'a-secret-of-this-test';
/** How secrets begin whose form is checked. */
const PREFIXES: Readonly<Record<string, string>> = { SLACK_BOT_TOKEN: 'xoxb-', SLACK_APP_TOKEN: 'xapp-' };
const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${SECRET}\n-----END RSA PRIVATE KEY-----\n`;

async function load({ text }: Pick<Block, 'text'>) {
  const own = mkdtempSync(path.join(folder, 'block-'));
  const file = path.join(own, 'throughline.config.yaml');
  writeFileSync(file, wholeOf(text));
  writeFileSync(path.join(own, 'agent.md'), 'Be kind.\n');
  installPlugins(text, own);
  for (const [, secret = ''] of text.matchAll(/\{ file: (\S+) \}/g))
    writeFileSync(path.join(own, secret), secret.endsWith('.pem') ? PEM : SECRET);
  const variables = [...text.matchAll(/env: (\w+)/g)].map(([, name = '']) => [name, `${PREFIXES[name] ?? ''}${SECRET}`]);
  return configureHost(await loadConfig({ cwd: own, file, env: Object.fromEntries(variables) as Record<string, string> }), own);
}

const ofReadme = (language: string) => blocksOf('README.md').filter((block) => block.language === language);
const commands = blocksIn('sh').flatMap(({ text }) => text.trim().split('\n'));

let agents: BuiltProcess | undefined;

/** Asks as the `curl` of a document does, which not every machine has. */
async function asked(command: string, wanted: RegExp): Promise<void> {
  const [, address = '', , body] =
    /^curl -s http:\/\/127\.0\.0\.1:8788(\S+)( -H 'content-type: application\/json' -d '(.+)')?$/.exec(command) ?? [];
  const [, url = ''] = /listening on (\S+)/.exec(agents?.output ?? '') ?? [];
  const posted = { method: 'POST', headers: { 'content-type': 'application/json' }, body: body ?? '' };
  for (let tries = 0; tries < 100; tries++) {
    const text = await (await fetch(`${url}${address}`, body === undefined ? {} : posted)).text();
    if (wanted.test(text)) return;
    if (body !== undefined) throw new Error(`${command} was answered ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${command} never shows ${wanted}`);
}

const [open = '', say = '', search = ''] = blocksOf('docs/agent-server.md')
  .filter(({ language, text }) => language === 'sh' && text.startsWith('curl'))
  .flatMap(({ text }) => text.trim().split('\n'));

/** What shows that a command of the documents works: it is run as built, in a folder of its own and on a free port. In the documents' order. */
const proofs: Readonly<Record<string, () => Promise<void>>> = {
  'npm run demo': async () => {
    const demo = run('demo/main.js');
    await demo.printed('signed 10 min ago');
    await demo.printed('A thread in Slack');
    const rows = ofReadme('text')
      .flatMap(({ text }) => text.split('\n'))
      .filter((line) => / (● GitHub|◆ Linear|# Slack) /.test(line));
    const printed = demo.output.split('\n').map((line) => line.slice(' 00:00:00'.length));
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.map((row) => row.slice(' 00:00:00'.length)).filter((row) => !printed.includes(row))).toEqual([]);
    await demo.end('SIGTERM');
    expect(demo.output).toContain('goes on from here');
  },
  // This very run is it.
  'npm test': async () => expect(process.env['JEST_WORKER_ID']).toBeDefined(),
  'npm run cli -- init my-agents': async () => {
    await succeeds(run(CLI, 'init', 'my-agents'));
    const files = ['throughline.config.yaml', '.env.example', '.gitignore', '.npmrc'];
    expect(files.filter((name) => !existsSync(path.join(folder, 'my-agents', name)))).toEqual([]);
    // What the README says about .npmrc is what stands in it.
    const [npmrc] = ofReadme('ini');
    expect(readFileSync(path.join(folder, 'my-agents', '.npmrc'), 'utf8').split('\n')).toContain(npmrc?.text.trim());
  },
  [`npm run cli -- doctor ${CONFIG.join(' ')}`]: async () => {
    const [config] = ofReadme('yaml');
    writeFileSync(path.join(folder, 'my-agents', 'throughline.config.yaml'), config?.text ?? '');
    const example = readFileSync(path.join(folder, 'my-agents', '.env.example'), 'utf8');
    writeFileSync(path.join(folder, 'my-agents', '.env'), example.replace(/^(\w+)=$/gm, '$1=a-secret-of-this-test-alone-0123456789'));
    copyFileSync(`${root}src/demo/agent.js`, path.join(folder, 'my-agents', 'agent.mjs'));
    expect(await succeeds(run(CLI, 'doctor', ...CONFIG))).toContain('github');
  },
  [`npm run cli -- start ${CONFIG.join(' ')}`]: async () => {
    server = run(CLI, 'start', ...CONFIG);
    await server.printed('Throughline listens on');
  },
  [`npm run cli -- send default/github --event issue_comment --payload test/fixtures/github/issue_comment/created.json ${CONFIG.join(' ')}`]:
    async () => {
      const payload = `${root}test/fixtures/github/issue_comment/created.json`;
      const output = await succeeds(run(CLI, 'send', 'default/github', '--event', 'issue_comment', '--payload', payload, ...CONFIG));
      expect(output).toContain('routed');
    },
  [`npm run cli -- tail ${CONFIG.join(' ')}`]: async () => {
    const tail = run(CLI, 'tail', ...CONFIG);
    await tail.printed('completed  done');
    expect(await tail.end('SIGINT')).toBe(0);
    expect(await server?.end('SIGTERM')).toBe(0);
  },
  'npm run cli -- agent-server --port 8788': async () => {
    agents = run(CLI, 'agent-server', '--port', '0');
    await agents.printed('listening on');
  },
  [open]: () => asked(open, /"execution_status":"idle"/),
  [say]: () => asked(say, /"success":true/),
  [search]: async () => {
    await asked(search, /"source":"agent".*hello/);
    expect(await agents?.end('SIGTERM')).toBe(0);
  },
  // Five minutes are for people; this shows that it kills, judges and ends.
  'npm run chaos -- --minutes 5 --database sqlite': async () => {
    expect(await succeeds(run('chaos/main.js', '--minutes', '0.05', '--database', 'sqlite'))).toContain('✓ as it should be');
  },
  'npm run chaos -- --minutes 5 --database postgres --replicas 2': async () => {
    const output = await succeeds(run('chaos/main.js', '--minutes', '0.05', '--database', 'postgres', '--replicas', '2'));
    expect(output).toContain('0 twice beyond those running');
  },
  // So few say nothing about memory: whether it is flat is for the hundred thousand.
  'npm run soak -- --deliveries 100000 --database sqlite': async () => {
    const soak = run('chaos/soak/main.js', '--deliveries', '1000', '--database', 'sqlite');
    await soak.end();
    expect(soak.output).toContain('more memory than the middle one');
    expect(soak.output).not.toContain('deliveries are done');
  },
  'npm start': async () => {
    const started = run('main.js');
    await started.printed('Throughline listens on');
    expect(started.output).toContain('created');
    expect(await started.end('SIGTERM')).toBe(0);
  },
};

describe('the documents', () => {
  it('have no block that nobody checks', () => {
    const others = documents()
      .flatMap(blocksOf)
      .filter(({ language }) => !['yaml', 'sh', 'ini', 'text', 'ts'].includes(language));
    expect(others.map(({ file, line, language }) => `${file}:${line} ${language}`)).toEqual([]);
    expect(commands.filter((command) => !(command in proofs))).toEqual([]);
    expect(Object.keys(proofs).filter((command) => !commands.includes(command))).toEqual([]);
  });

  it.each(blocksIn('yaml'))('show a configuration that loads, with its plugins: $file, line $line', async (block) => {
    const { config } = await load(block);
    expect(config.orgs).toContain('default');
  });

  it.each(blocksIn('ts'))('show TypeScript that can be read: $file, line $line', ({ text }) => {
    expect(() => parseSync(text, { syntax: 'typescript', decorators: true })).not.toThrow();
  });

  it('link to files that are there', () => {
    const dead = documents().flatMap((file) => {
      const links = [...readFileSync(`${root}${file}`, 'utf8').matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)];
      return links.filter(([, to = '']) => !existsSync(path.join(root, path.dirname(file), to))).map(([, to]) => `${file} → ${to}`);
    });
    expect(dead).toEqual([]);
  });

  it('name npm scripts that there are', () => {
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> };
    const named = documents().flatMap((file) => [
      ...readFileSync(`${root}${file}`, 'utf8').matchAll(/npm (?:run ([\w-]+)|(test|start)\b)/g),
    ]);
    const names = new Set(named.map(([, run, own]) => run ?? own ?? ''));
    expect([...names].filter((name) => scripts[name] !== `exec node scripts/run.mjs ${name}`)).toEqual([]);
  });
});

describe('the commands of the documents', () => {
  it.each([...new Set(commands)])('work: %s', async (command) => proofs[command]?.(), LONG);
});
