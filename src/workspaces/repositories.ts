import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import type { SimpleGit } from 'simple-git';
import { TurnFailed } from '../plugin/index.js';
import { gitFault, gitIn } from './git.js';

interface Tree {
  readonly head: string;
  readonly branch: string | null;
}

/** Working trees of conversations, each on a branch of its own, of repositories that the configuration names. */
export class Repositories {
  /** Git locks a repository for each change of its worktrees, and fails rather than waits. */
  private readonly busy = new Map<string, Promise<unknown>>();

  /** `clones`: where repositories are kept that are named by an address rather than by an absolute path. */
  constructor(private readonly clones: string) {}

  /** Makes the working tree, once; a branch that is there already is taken up. Throws `TurnFailed` when git cannot. */
  async make(repository: string, folder: string, branch: string): Promise<void> {
    if (existsSync(path.join(folder, '.git'))) return;
    try {
      await this.alone(repository, () => this.add(repository, folder, branch));
    } catch (error) {
      throw new TurnFailed(`the working tree of the conversation cannot be made: ${gitFault(error)}`);
    }
  }

  /**
   * Takes the working tree of an ended conversation away, its branch never. One with changes that are on no branch stays whole.
   * Null: there is none of this repository.
   */
  remove(repository: string, folder: string): Promise<string | null> {
    return this.alone(repository, async () => {
      const source = this.sourceOf(repository);
      if (!existsSync(source) || !(await isFolder(folder))) return null;
      const git = gitIn(source);
      const tree = await treeAt(git, await realpath(folder));
      if (tree === null) return null;
      if (tree.branch === null && !(await isKept(git, tree.head))) return 'kept: it has commits that are on no branch';
      return removeTree(git, folder);
    });
  }

  /** Takes the working tree away whatever it holds, and its branch; a branch that somebody has checked out elsewhere stays. */
  purge(repository: string, folder: string, branch: string): Promise<void> {
    return this.alone(repository, async () => {
      const source = this.sourceOf(repository);
      await rm(folder, { recursive: true, force: true });
      if (!existsSync(source)) return;
      const git = gitIn(source);
      await git.raw(['worktree', 'prune']);
      if ((await git.raw(['branch', '--list', branch])).trim() === '') return;
      await git.raw(['branch', '-D', branch]).catch((error: unknown) => {
        if (!/checked out|used by worktree/.test(gitFault(error)))
          throw new Error(`the branch ${branch} cannot be removed: ${gitFault(error)}`);
      });
    });
  }

  private async add(repository: string, folder: string, branch: string): Promise<void> {
    const source = this.sourceOf(repository);
    const isClone = !path.isAbsolute(repository);
    if (isClone && !existsSync(source)) await begin(source, repository);
    const git = gitIn(source);
    await git.raw(['worktree', 'prune']);
    if ((await git.raw(['branch', '--list', branch])).trim() !== '') {
      await git.raw(['worktree', 'add', folder, branch]);
      return;
    }
    if (isClone) await fetchAll(git);
    await git.raw(['worktree', 'add', '--no-track', '-b', branch, folder, isClone ? 'refs/remotes/origin/HEAD' : 'HEAD']);
  }

  private sourceOf(repository: string): string {
    if (path.isAbsolute(repository)) return repository;
    return path.join(this.clones, createHash('sha256').update(repository).digest('hex').slice(0, 32));
  }

  private alone<T>(repository: string, work: () => Promise<T>): Promise<T> {
    const before = this.busy.get(repository) ?? Promise.resolve();
    const done = before.catch(() => {}).then(work);
    this.busy.set(repository, done);
    const forget = () => {
      if (this.busy.get(repository) === done) this.busy.delete(repository);
    };
    done.then(forget, forget);
    return done;
  }
}

/** Branches of the origin stand apart from those of conversations, which no fetch touches. */
async function begin(source: string, address: string): Promise<void> {
  await mkdir(source, { recursive: true });
  const git = gitIn(source);
  await git.raw(['init', '--bare', '--quiet']);
  await git.raw(['remote', 'add', 'origin', address]);
}

async function fetchAll(git: SimpleGit): Promise<void> {
  await git.raw(['fetch', '--prune', '--progress', 'origin']);
  await git.raw(['remote', 'set-head', 'origin', '--auto']);
}

/** Asked of the repository: what a working tree says of itself, its agent may have written. */
async function treeAt(git: SimpleGit, folder: string): Promise<Tree | null> {
  const listed = await git.raw(['worktree', 'list', '--porcelain']);
  const blocks = listed.split('\n\n').map((block) => new Map(block.split('\n').map((line) => split(line))));
  const found = blocks.find((block) => block.get('worktree') === folder);
  return found === undefined ? null : { head: found.get('HEAD') ?? '', branch: found.get('branch') ?? null };
}

function split(line: string): [string, string] {
  const space = line.indexOf(' ');
  return space === -1 ? [line, ''] : [line.slice(0, space), line.slice(space + 1)];
}

async function isKept(git: SimpleGit, commit: string): Promise<boolean> {
  return (await git.raw(['for-each-ref', '--contains', commit, '--count=1'])).trim() !== '';
}

async function removeTree(git: SimpleGit, folder: string): Promise<string> {
  try {
    await git.raw(['worktree', 'remove', folder]);
    return 'removed';
  } catch (error) {
    const fault = gitFault(error);
    return /modified or untracked/.test(fault) ? 'kept: it holds changes that are not committed' : `kept: ${fault}`;
  }
}

/** A link is nobody's working tree. */
async function isFolder(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => null);
  return found?.isDirectory() === true;
}
