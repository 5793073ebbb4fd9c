import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openHome } from '../../src/demo/home.js';
import { startHost } from '../../src/demo/host.js';
import { build } from './child.js';

const LONG = 120_000;

let folder: string;

beforeAll(build, LONG);

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-demo-host-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

describe('the server of the demo', () => {
  it(
    'takes the next port when another one came first, also at the very same moment',
    async () => {
      const port = await freePort();
      const hosts = await Promise.all(['one', 'two'].map((name) => startHost(openHome(path.join(folder, name)), port)));
      const ports = hosts.map(({ server }) => Number(new URL(server.url).port));
      await Promise.all(hosts.map(({ server }) => server.close()));
      expect(new Set(ports).size).toBe(2);
      expect(ports).toContain(port);
    },
    LONG,
  );
});
