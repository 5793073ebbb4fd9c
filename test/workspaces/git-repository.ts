import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ENV = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  ...{ GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.test', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.test' },
};

/** Real git, as a person or an agent uses it. */
export function git(folder: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, env: ENV, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

/** A repository with one commit of `README.md`. */
export function repositoryIn(folder: string): string {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '--quiet', '--initial-branch', 'main');
  commit(folder, 'README.md', 'first');
  return folder;
}

export function commit(folder: string, file: string, text: string): string {
  writeFileSync(path.join(folder, file), text);
  git(folder, 'add', file);
  git(folder, 'commit', '--quiet', '-m', `${file}: ${text}`);
  return git(folder, 'rev-parse', 'HEAD');
}
