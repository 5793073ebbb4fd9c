import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { folderPrefix, removeLeftovers } from '../postgres.leftovers.mjs';

/** Stands for a PostgreSQL: it has its folder in its command line, as PostgreSQL has. */
const SERVER = 'process.stdout.write("up"); setInterval(() => {}, 1000)';

describe('the leftovers of a killed test run', () => {
  let goneRun: number;

  beforeEach(async () => {
    const run = spawn(process.execPath, ['-e', '']);
    await once(run, 'exit');
    goneRun = run.pid ?? 0;
  });

  const made: string[] = [];
  afterEach(() => made.splice(0).forEach((folder) => void rmSync(folder, { recursive: true, force: true })));

  function folderOf(owner: number): string {
    const folder = path.join(os.tmpdir(), `throughline-pg-${owner}-data-test`);
    mkdirSync(folder);
    made.push(folder);
    return folder;
  }

  async function serverIn(folder: string, named = folder) {
    const server = spawn(process.execPath, ['-e', SERVER, named]);
    await once(server.stdout, 'data');
    writeFileSync(path.join(folder, 'postmaster.pid'), `${server.pid}\n${folder}\n`);
    return server;
  }

  it('are its server and its folder, and both go', async () => {
    const folder = folderOf(goneRun);
    const server = await serverIn(folder);
    const ended = once(server, 'exit');
    await removeLeftovers();
    await ended;
    expect(existsSync(folder)).toBe(false);
  });

  it('are a folder alone when its server is gone and another program has that number', async () => {
    const folder = folderOf(goneRun);
    const bystander = await serverIn(folder, 'something else');
    await removeLeftovers();
    expect(existsSync(folder)).toBe(false);
    expect(bystander.kill('SIGKILL')).toBe(true);
    const [, signal] = await once(bystander, 'exit');
    expect(signal).toBe('SIGKILL');
  });

  it('are nothing that belongs to a run that still runs', async () => {
    const folder = mkdtempSync(folderPrefix('data'));
    made.push(folder);
    await removeLeftovers();
    expect(existsSync(folder)).toBe(true);
  });
});
