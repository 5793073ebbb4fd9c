import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from '../demo/child.js';
import { blocksOf, root } from '../readme-blocks.js';

const LONG = 240_000;
const TSC = `${root}node_modules/typescript/bin/tsc`;
const run = promisify(execFile);
/** Inside of a run of another framework, node:test would report to that one. */
const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;

/** A folder of somebody who writes a plugin: the packed package and its dependencies, as npm would have installed them. */
let project: string;

beforeAll(async () => {
  project = mkdtempSync(path.join(os.tmpdir(), 'throughline-out-of-tree-'));
  await build();
  await run(process.execPath, [TSC, '-p', `${root}tsconfig.build.json`], { cwd: root });
  await run('npm', ['pack', '--ignore-scripts', '--offline', '--silent', '--pack-destination', project], { cwd: root, env });
  const modules = path.join(project, 'node_modules');
  mkdirSync(modules);
  const [archive = ''] = readdirSync(project).filter((name) => name.endsWith('.tgz'));
  await run('tar', ['-xzf', path.join(project, archive), '-C', modules]);
  cpSync(path.join(modules, 'package'), path.join(modules, 'throughline'), { recursive: true });
  for (const name of readdirSync(`${root}node_modules`)) symlinkSync(`${root}node_modules/${name}`, path.join(modules, name));
  write();
}, LONG);

afterAll(() => rmSync(project, { recursive: true, force: true }));

/** What docs/plugins.md shows, word for word, and a server that plays the provider. */
function write(): void {
  const [plugin, conformance, samples, host] = blocksOf('docs/plugins.md').filter(({ language }) => language === 'ts');
  const files = { 'index.ts': plugin, 'samples.ts': samples, 'conformance.test.ts': conformance, 'host.test.ts': host };
  for (const [name, block] of Object.entries(files)) writeFileSync(path.join(project, name), block?.text ?? '');
  cpSync(`${root}test/fakes/tickets/ticket-server.ts`, path.join(project, 'ticket-server.ts'));
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ name: 'throughline-plugin-tickets', type: 'module' }));
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'ES2023', lib: ['ES2024', 'ESNext.Disposable'], strict: true, outDir: 'out', skipLibCheck: false },
    ...{ experimentalDecorators: true, emitDecoratorMetadata: true, exactOptionalPropertyTypes: true, types: ['node'] },
  };
  writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
}

/** What a program says, whether it succeeds or not. */
async function said(file: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [file, ...args], { cwd: project, env }).catch((failed: { stdout: string }) => failed);
  return stdout;
}

describe('a plugin of somebody else, with the packed package', () => {
  it(
    'is compiled with the types that come with it',
    async () => {
      expect(await said(TSC, '-p', '.')).toBe('');
    },
    LONG,
  );

  it(
    'passes the checks and its test in a host, as docs/plugins.md shows them',
    async () => {
      const output = await said('--test', '--test-reporter=tap', 'out/conformance.test.js', 'out/host.test.js');
      expect(output).toMatch(/^# fail 0$/m);
      expect(output).toContain('gives one subject to all events about one thing');
      expect(output).toContain('hears of each event once');
    },
    LONG,
  );
});
