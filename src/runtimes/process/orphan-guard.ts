import { type ChildProcess, spawn } from 'node:child_process';

/** Waits for a line or the end of its input. The end alone means that whoever holds the other end of the pipe is gone. */
const SCRIPT = 'read -r line && exit 0; kill -s TERM -- "-$1"; sleep "$2"; kill -s KILL -- "-$1"';

/**
 * Ends a process group when this process dies, by whatever signal: the kernel closes the pipe, and the guard, which is in a group of its
 * own, sees that. For agents that live between turns, when no row names their group for the next start to end.
 */
export class OrphanGuard {
  private readonly shell: ChildProcess;

  constructor(group: number, graceMs: number) {
    const args = ['-c', SCRIPT, 'guard', String(group), String(Math.ceil(graceMs / 1000))];
    this.shell = spawn('/bin/sh', args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'], env: { PATH: '/usr/bin:/bin' } });
    // Where there is no shell the agent still has its own closed input to end by.
    this.shell.on('error', () => undefined);
    this.shell.stdin?.on('error', () => undefined);
    // Neither keeps this process alive.
    this.shell.unref();
    (this.shell.stdin as { unref?(): void } | null)?.unref?.();
  }

  /** The group is gone, or is to live on. */
  release(): void {
    this.shell.stdin?.end('released\n');
  }
}
