import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NO_RULES } from '../../../src/core/limits/rules.js';
import { purgeFiles } from '../../../src/worker/cleanup/purge-files.js';
import { type Workspace, WorkTable } from '../../../src/worker/work-table.js';
import { WorkspaceFolders } from '../../../src/worker/workspace-folders.js';
import { Repositories } from '../../../src/workspaces/repositories.js';
import { commit, git, repositoryIn } from '../../workspaces/git-repository.js';
import { StagedRuntime } from '../staged.runtime.js';

// Git is run many times, which takes its time on a busy machine.
jest.setTimeout(60_000);

const CONVERSATION = '4e0cf7ad-3f0c-5b3e-9f6b-0c1d2e3f4a5b';

describe('the files of a purged conversation', () => {
  let root: string;
  let folders: WorkspaceFolders;
  const all = () => path.join(root, 'workspaces');
  const purge = (place: Partial<Workspace>, folder = CONVERSATION) => {
    const workspace: Workspace = {
      ...{ name: 'main', org: 'default', runtime: new StagedRuntime(), instructions: null, directory: null, isolate: false },
      ...{ repository: null, concurrency: null, rules: NO_RULES, ...place },
    };
    const context = { table: new WorkTable([workspace], []), folders, workspacesFolder: all() };
    return purgeFiles({ conversation: CONVERSATION, org: 'default', workspace: 'main', folder }, context);
  };
  const make = (...parts: string[]) => {
    const folder = path.join(root, ...parts);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'secret.md'), 'words');
    return folder;
  };

  beforeEach(() => {
    root = mkdtempSync(path.join(os.tmpdir(), 'throughline-purge-'));
    mkdirSync(all());
    folders = new WorkspaceFolders(new Repositories(path.join(root, 'repositories')));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('ADM-6 are its folder with all that is in it, also where a directory isolates them, and may be gone already', async () => {
    const [own, isolated, stranger] = [make('workspaces', CONVERSATION), make('drafts', CONVERSATION), make('drafts', 'other')];
    await purge({ directory: path.join(root, 'drafts'), isolate: true });
    expect([own, isolated, stranger].map((folder) => existsSync(folder))).toEqual([false, false, true]);
    await purge({ directory: path.join(root, 'drafts'), isolate: true });
  });

  it('ADM-6 are what came with its messages, where it shares a folder that stays', async () => {
    const shared = make('shared');
    make('shared', '.throughline', 'attachments', `${CONVERSATION}.1`);
    make('shared', '.throughline', 'attachments', 'other.1');
    await purge({ directory: shared });
    expect(readdirSync(path.join(shared, '.throughline', 'attachments'))).toEqual(['other.1']);
    expect(existsSync(path.join(shared, 'secret.md'))).toBe(true);
  });

  it('ADM-6 WSP-1 are its working tree, also a dirty one, and its branch, and none of another', async () => {
    const repository = repositoryIn(path.join(root, 'repository'));
    const tree = path.join(all(), CONVERSATION);
    const conversation = { state: 'open', ending: 0 } as const;
    await folders.make(tree, { ...conversation, folder: CONVERSATION }, repository);
    await folders.make(path.join(all(), 'other'), { ...conversation, folder: 'other' }, repository);
    commit(tree, 'secret.md', 'words');
    writeFileSync(path.join(tree, 'dirty.md'), 'words');
    await purge({ repository });
    expect(existsSync(tree)).toBe(false);
    expect(git(repository, 'branch', '--list', '--format=%(refname:short)').split('\n').sort()).toEqual(['main', 'throughline/other']);
    expect(git(repository, 'worktree', 'list')).not.toContain(CONVERSATION);
    await purge({ repository });
  });

  it('ADM-6 WSP-1 leave a branch that somebody has checked out elsewhere', async () => {
    const repository = repositoryIn(path.join(root, 'repository'));
    const branch = `throughline/${CONVERSATION}`;
    git(repository, 'checkout', '--quiet', '-b', branch);
    await purge({ repository });
    expect(git(repository, 'symbolic-ref', '--short', 'HEAD')).toBe(branch);
  });

  it('ADM-6 are nowhere but in the folder of the workspaces', async () => {
    const outside = make('outside');
    await expect(purge({}, '../outside')).rejects.toThrow('is not one of a conversation');
    expect(existsSync(outside)).toBe(true);
  });
});
