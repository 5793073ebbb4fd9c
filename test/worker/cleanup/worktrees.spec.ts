import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { closing, comment, route } from '../../core/builders.js';
import { delivered, eachCore } from '../../core/core.js';
import { git, repositoryIn } from '../../workspaces/git-repository.js';
import { Bench, until } from '../harness.js';

eachCore('where the turns of conversations work', (open) => {
  let root: string;
  let bench: Bench | undefined;
  beforeEach(() => {
    root = mkdtempSync(path.join(os.tmpdir(), 'throughline-worktrees-'));
  });
  afterEach(async () => {
    await bench?.stop();
    rmSync(root, { recursive: true, force: true });
  });

  it('WSP-1 TRM-3 is a working tree that goes with its end, or stays whole with what is in no commit; its branch stays', async () => {
    const core = open();
    const repository = repositoryIn(path.join(root, 'repository'));
    bench = new Bench(core, [route()], { workspaces: [{ repository }] });
    await bench.start();
    const folders: string[] = [];
    for (const key of ['clean', 'dirty']) {
      const { conversation } = delivered(await core.admit(comment(key)));
      const turn = await bench.runtime.next();
      const { workspace } = turn.input;
      folders.push(workspace);
      expect(git(workspace, 'symbolic-ref', '--short', 'HEAD')).toBe(`throughline/${path.basename(workspace)}`);
      if (key === 'dirty') writeFileSync(path.join(workspace, 'notes.md'), 'mine');
      turn.finish();
      await until(async () => (await core.queue(conversation)).open === 0);
      await core.admit(closing(key, 10));
    }
    await until(async () => (await core.rows("select id from jobs where state in ('waiting', 'running')")).length === 0);
    expect(folders.map((folder) => existsSync(folder))).toEqual([false, true]);
    const results = await core.rows<{ result: string }>("select result from jobs where kind = 'remove_files' order by id");
    expect(results.map(({ result }) => result)).toEqual(['removed', 'kept: it holds changes that are not committed']);
    const branches = git(repository, 'branch', '--list', 'throughline/*', '--format=%(refname:short)').split('\n');
    expect(branches.sort()).toEqual(folders.map((folder) => `throughline/${path.basename(folder)}`).sort());
  });

  it('WSP-1 fails the turn where git cannot make the working tree', async () => {
    const core = open();
    bench = new Bench(core, [route()], { workspaces: [{ repository: path.join(root, 'nowhere') }] });
    await bench.start();
    await core.admit(comment('T-1'));
    const failed = () => core.rows<{ error: string }>("select error from turns where state = 'failed'");
    await until(async () => (await failed()).length > 0);
    expect((await failed())[0]?.error).toMatch(/^the working tree of the conversation cannot be made: /);
  });

  it('WSP-1 is a folder for each in a directory that isolates them', async () => {
    const core = open();
    const directory = path.join(root, 'isolated');
    bench = new Bench(core, [route()], { workspaces: [{ directory, isolate: true }] });
    await bench.start();
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const turn = await bench.runtime.next();
    expect(path.dirname(turn.input.workspace)).toBe(directory);
    turn.finish();
    await until(async () => (await core.queue(conversation)).open === 0);
    await core.admit(closing('T-1', 10));
    await until(async () => (await core.rows("select id from jobs where state in ('waiting', 'running')")).length === 0);
    expect([existsSync(turn.input.workspace), existsSync(directory)]).toEqual([false, true]);
  });
});
