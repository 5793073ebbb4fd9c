import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Repositories } from '../../src/workspaces/repositories.js';
import { commit, git, repositoryIn } from './git-repository.js';

// Each test runs git many times, which takes its time on a busy machine.
jest.setTimeout(60_000);

describe('working trees of conversations', () => {
  let root: string;
  let repository: string;
  let trees: Repositories;
  const folder = (name: string) => path.join(root, 'workspaces', name);
  const branches = (of = repository) => git(of, 'branch', '--list', '--format=%(refname:short)').split('\n');
  const make = (name: string, of = repository) => trees.make(of, folder(name), `throughline/${name}`);

  beforeEach(() => {
    root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'throughline-git-')));
    repository = repositoryIn(path.join(root, 'repository'));
    trees = new Repositories(path.join(root, 'repositories'));
    mkdirSync(path.join(root, 'workspaces'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('WSP-1 are one for each, on branches of their own, also when many are made at once', async () => {
    await Promise.all(['a', 'b', 'c'].map((name) => make(name)));
    commit(folder('a'), 'own.txt', 'of a');
    expect(branches()).toEqual(['main', 'throughline/a', 'throughline/b', 'throughline/c']);
    expect([existsSync(path.join(folder('a'), 'own.txt')), existsSync(path.join(folder('b'), 'own.txt'))]).toEqual([true, false]);
    await make('a');
    expect(readFileSync(path.join(folder('a'), 'own.txt'), 'utf8')).toBe('of a');
  });

  it('WSP-1 TRM-3 go where nothing would be lost, their branches stay, and are taken up again', async () => {
    await make('a');
    const done = commit(folder('a'), 'own.txt', 'of a');
    expect(await trees.remove(repository, folder('a'))).toBe('removed');
    expect(existsSync(folder('a'))).toBe(false);
    expect(git(repository, 'rev-parse', 'throughline/a')).toBe(done);
    expect(await trees.remove(repository, folder('a'))).toBeNull();
    await make('a');
    expect(git(folder('a'), 'rev-parse', 'HEAD')).toBe(done);
  });

  it.each([
    ['a file that git does not know', () => writeFileSync(path.join(folder('a'), 'new.txt'), '')],
    ['a file that was changed', () => writeFileSync(path.join(folder('a'), 'README.md'), 'changed')],
  ])('TRM-3 stay whole with %s', async (_what, change) => {
    await make('a');
    change();
    expect(await trees.remove(repository, folder('a'))).toBe('kept: it holds changes that are not committed');
    expect(existsSync(path.join(folder('a'), 'README.md'))).toBe(true);
  });

  it('TRM-3 stay whole with commits that are on no branch', async () => {
    await make('a');
    git(folder('a'), 'checkout', '--quiet', '--detach');
    expect(await trees.remove(repository, folder('a'))).toBe('removed');
    await make('b');
    git(folder('b'), 'checkout', '--quiet', '--detach');
    commit(folder('b'), 'lost.txt', 'on no branch');
    expect(await trees.remove(repository, folder('b'))).toBe('kept: it has commits that are on no branch');
  });

  it('WSP-1 are not followed to where an agent made their folder lead', async () => {
    await make('a');
    await make('b');
    rmSync(folder('b'), { recursive: true });
    symlinkSync(folder('a'), folder('b'));
    expect(await trees.remove(repository, folder('b'))).toBeNull();
    writeFileSync(path.join(root, 'workspaces', 'c'), '');
    expect(await trees.remove(repository, folder('c'))).toBeNull();
    expect(existsSync(path.join(folder('a'), 'README.md'))).toBe(true);
  });

  it('WSP-1 run nothing for the server that an agent put into the repository', async () => {
    await make('a');
    const mark = path.join(root, 'ran');
    const script = path.join(root, 'script');
    writeFileSync(script, `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    mkdirSync(path.join(root, 'hooks'));
    writeFileSync(path.join(root, 'hooks', 'post-checkout'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    git(folder('a'), 'config', 'core.hooksPath', path.join(root, 'hooks'));
    git(folder('a'), 'config', 'core.fsmonitor', script);
    await make('b');
    await trees.remove(repository, folder('a'));
    expect(existsSync(mark)).toBe(false);
  });

  it('WSP-1 of a repository elsewhere are of what it holds when they are made', async () => {
    const address = `file://${repository}`;
    await make('a', address);
    const later = commit(repository, 'later.txt', 'x');
    await make('b', address);
    expect(git(folder('b'), 'rev-parse', 'HEAD')).toBe(later);
    expect(branches()).toEqual(['main']);
    expect(await trees.remove(address, folder('b'))).toBe('removed');
  });

  it('WSP-1 fail the turn with what git says, without the secrets of an address', async () => {
    const nowhere = `file://user:secret@/${root}/nowhere`;
    await expect(make('a', nowhere)).rejects.toThrow(/^the working tree of the conversation cannot be made: /);
    const error: Error = await make('b', nowhere).then(
      () => new Error('made'),
      (thrown: Error) => thrown,
    );
    expect(error.message).not.toContain('secret');
    mkdirSync(folder('c'));
    writeFileSync(path.join(folder('c'), 'mine.txt'), '');
    await expect(make('c')).rejects.toThrow('already exists');
  });
});
