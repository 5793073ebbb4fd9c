import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { loadHost } from '../../src/compose/configured-host.js';
import type { InvalidConfiguration } from '../../src/config/invalid-configuration.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-host-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function faultsOf(yaml: string): Promise<(readonly [string, string])[]> {
  writeFileSync(path.join(folder, 'throughline.config.yaml'), yaml);
  const error = await loadHost({ cwd: folder, env: {} }).then(
    () => null,
    (refused: InvalidConfiguration) => refused,
  );
  return (error?.faults ?? []).map((fault) => [fault.path, fault.message] as const);
}

it('ADM-3 tells what the file, the plugins and the runtimes find wrong all at once, each with its path', async () => {
  const faults = await faultsOf(`
workers: { concurency: 2 }
connections:
  gh: { plugin: github, secrt: abc }
  li: { plugin: linear, secret: { env: NOWHERE } }
runtimes: { a: { kind: ech } }
workspaces: { main: { runtime: a } }
routes: { r: { connection: gh, workspace: main, filter: "a ==" } }
`);
  expect(faults.map(([at]) => at).sort()).toEqual(
    [
      'connections.gh.secret',
      'connections.gh.secrt',
      'connections.li.secret',
      'routes.r.filter',
      'runtimes.a.kind',
      'workers.concurency',
    ].sort(),
  );
  expect(Object.fromEntries(faults)['runtimes.a.kind']).toMatch(/there is no kind `ech`; did you mean `echo`\?/);
  expect(Object.fromEntries(faults)['connections.gh.secrt']).toMatch(/did you mean `secret`/);
});

it('has nothing to say against an empty configuration', async () => {
  expect(await faultsOf('')).toEqual([]);
});
