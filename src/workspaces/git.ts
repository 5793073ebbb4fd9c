import { GitError, type SimpleGit, simpleGit } from 'simple-git';

/** Longest silence of git; a fetch tells its progress. */
const SILENCE_MS = 120_000;
/** They would make git ask somebody, or run what the environment names. */
const NOT_PASSED = /^(GIT_|SSH_ASKPASS|EDITOR$|VISUAL$|PAGER$|THROUGHLINE_)/;

/**
 * Git in a folder. What agents may have written into the configuration of a repository (hooks, a monitor of files) is not run for the
 * server.
 */
export function gitIn(folder: string): SimpleGit {
  const git = simpleGit({
    baseDir: folder,
    timeout: { block: SILENCE_MS },
    config: ['core.hooksPath=/dev/null', 'core.fsmonitor=false'],
    allowEnvironment: ['GIT_TERMINAL_PROMPT'],
    unsafe: { allowUnsafeHooksPath: true, allowUnsafeFsMonitor: true },
  });
  const passed = Object.entries(process.env).filter(([name]) => !NOT_PASSED.test(name));
  return git.env({ ...Object.fromEntries(passed), GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' });
}

/** What git said, in one line and without the secrets of an address. */
export function gitFault(error: unknown): string {
  const said = error instanceof GitError || error instanceof Error ? error.message : String(error);
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  const telling = lines.find((line) => /^(fatal|error):/.test(line)) ?? lines[0] ?? 'git failed';
  return telling.replace(/^(fatal|error): /, '').replace(/\/\/[^/@\s]+@/g, '//***@');
}
