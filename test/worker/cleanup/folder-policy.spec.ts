import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fateOf } from '../../../src/worker/cleanup/folder-policy.js';
import { removeFolder } from '../../../src/worker/cleanup/remove-files.js';

describe('the folder of a conversation that ended', () => {
  const empty = { kind: 'folder', holdsFiles: false } as const;

  it.each([
    ['none', '/data/w/c-1', { kind: 'none', holdsFiles: false }, []],
    ['keep', '/data/w/c-1', { kind: 'other', holdsFiles: true }, []],
    ['keep', '/data/w/c-1', { kind: 'folder', holdsFiles: true }, []],
    ['remove', '/data/w/c-1', empty, ['/home/me/project', '/data/w/c-10']],
    ['keep', '/data/w/c-1', empty, ['/data/w/c-1']],
    ['keep', '/data/w/c-1', empty, ['/data/w/c-1/inner']],
    ['keep', '/data/w/c-1', empty, ['/data']],
  ] as const)('TRM-3 %s: %s, found as %j, beside the configured %j', (fate, folder, found, configured) => {
    expect(fateOf(folder, found, configured)).toBe(fate);
  });
});

describe('removing it', () => {
  let within: string;
  const remove = (folder: string) => removeFolder(folder, { within, configured: [] });

  beforeEach(async () => {
    within = await mkdtemp(path.join(os.tmpdir(), 'throughline-folders-'));
  });
  afterEach(() => rm(within, { recursive: true, force: true }));

  it('TRM-3 takes empty folders within it along, and says when there is nothing', async () => {
    await mkdir(path.join(within, 'c-1', 'a', 'b'), { recursive: true });
    expect([await remove('c-1'), await remove('c-1')]).toEqual(['removed', 'none']);
    expect(await readdir(within)).toEqual([]);
  });

  it('TRM-3 keeps all of one that holds a single file, and follows no link', async () => {
    await mkdir(path.join(within, 'c-1', 'a', 'b'), { recursive: true });
    await mkdir(path.join(within, 'c-1', 'z'));
    await writeFile(path.join(within, 'c-1', 'z', 'one'), '');
    await mkdir(path.join(within, 'elsewhere'));
    await symlink(path.join(within, 'elsewhere'), path.join(within, 'c-2'));
    expect([await remove('c-1'), await remove('c-2')]).toEqual(['kept', 'kept']);
    expect((await readdir(path.join(within, 'c-1'), { recursive: true })).sort()).toEqual(['a', 'a/b', 'z', 'z/one']);
    expect((await readdir(within)).sort()).toEqual(['c-1', 'c-2', 'elsewhere']);
  });

  it.each(['..', '.', '', 'a/b', '../other'])('TRM-3 refuses %j, which is no folder of a conversation', async (folder) => {
    await mkdir(path.join(within, 'a', 'b'), { recursive: true });
    await expect(remove(folder)).rejects.toThrow('is not the name of a folder');
    expect(await readdir(path.join(within, 'a'))).toEqual(['b']);
  });
});
