import { existsSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WorkspaceFolders } from '../../src/worker/workspace-folders.js';

const NO_TREES = { make: async () => undefined, remove: async () => null, purge: async () => undefined };

describe('folders that turns work in', () => {
  let root: string;
  let folder: string;
  beforeEach(() => {
    root = mkdtempSync(path.join(os.tmpdir(), 'throughline-folders-'));
    folder = path.join(root, 'a', 'b');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('IDN-5 are made once', async () => {
    const folders = new WorkspaceFolders(NO_TREES);
    await folders.make(folder, { state: 'open', ending: 0, folder: 'b' }, null);
    rmdirSync(folder);
    await folders.make(folder, { state: 'open', ending: 0, folder: 'b' }, null);
    expect(existsSync(folder)).toBe(false);
    folders.forget(folder);
    await folders.make(folder, { state: 'open', ending: 0, folder: 'b' }, null);
    expect(existsSync(folder)).toBe(true);
  });

  it('IDN-5 are made again behind an end, which takes them away, and for each turn while it lasts', async () => {
    const folders = new WorkspaceFolders(NO_TREES);
    const turns = [
      { state: 'open', ending: 0 },
      { state: 'terminal', ending: 1 },
      { state: 'terminal', ending: 1 },
      { state: 'open', ending: 1 },
    ] as const;
    for (const turn of turns) {
      await folders.make(folder, { ...turn, folder: 'b' }, null);
      expect(existsSync(folder)).toBe(true);
      rmdirSync(folder);
    }
  });
});
