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

it('MTX-2 tells of routes what the plugins of their connections do not let them do', async () => {
  const faults = await faultsOf(`
connections:
  m: { plugin: matrix, apiUrl: "http://127.0.0.1:9", user: "@ada:example.org", token: abc, rooms: { support: { id: "!a:example.org" } } }
  gh: { plugin: github, secret: a-secret-of-this-test }
runtimes: { a: { kind: echo } }
workspaces: { main: { runtime: a } }
routes:
  one: { connection: m, workspace: main, endpoint: suport }
  two: { connection: m, workspace: main, endpoint: support, outbound: allowed }
  three: { connection: gh, workspace: main, endpoint: support, outbound: allowed }
`);
  expect(faults).toEqual([
    ['routes.one.endpoint', 'the connection m has support; did you mean `support`?'],
    ['routes.two.outbound', 'must not be `allowed`: a person decides about everything that is written at matrix'],
    ['routes.three.endpoint', 'the connection gh has no places to choose from'],
  ]);
});

it('has nothing to say against an empty configuration', async () => {
  expect(await faultsOf('')).toEqual([]);
});
