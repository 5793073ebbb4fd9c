import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { GithubProvider } from '../../plugins/github/index.js';
import { loadHost } from '../../src/compose/configured-host.js';
import { ConfiguredProviders } from '../../src/compose/configured-providers.js';
import { PluginRegistry } from '../../src/plugin-host/plugin-registry.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-providers-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('CTL-6 only a connection that has what its channel needs to write acknowledges; one that only receives does not try', async () => {
  writeFileSync(
    path.join(folder, 'throughline.config.yaml'),
    `
connections:
  receives: { plugin: github, secret: receiving-secret }
  writes: { plugin: github, secret: writing-secret, token: a-token }
runtimes: { echo: { kind: echo } }
workspaces: { main: { runtime: echo } }
routes: { r: { connection: writes, workspace: main } }
`,
  );
  const { host } = await loadHost({ cwd: folder, env: {} });
  const providers = new ConfiguredProviders(host.connections, new PluginRegistry([['github', new GithubProvider()]]));
  const org = host.connections[0]?.connection.org ?? '';
  expect(['receives', 'writes', 'nowhere'].map((name) => providers.acknowledges(org, name))).toEqual([false, true, false]);
});
