import childProcess, { type ChildProcess } from 'node:child_process';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { Trap } from './trap.js';

type Answer = (this: http.ServerResponse, ...args: unknown[]) => unknown;
type Call = (this: unknown, ...args: unknown[]) => unknown;

/** Lets the trap see the answers to requests. */
export function watchAnswers(trap: Trap): void {
  const response = http.ServerResponse.prototype as unknown as { end: Answer };
  const original = response.end;
  response.end = function (...args) {
    const address = this.req.url ?? '';
    trap.answer('before answer', address);
    this.once('finish', () => trap.answer('after answer', address));
    return original.apply(this, args);
  };
}

/** Lets the trap see agents start and get their input. They are what is started as the leader of a group of its own. */
export function watchAgents(trap: Trap): void {
  const spawning = childProcess as unknown as { spawn: Call };
  const original = spawning.spawn;
  spawning.spawn = function (...args) {
    const child = original.apply(this, args) as ChildProcess;
    if (!(args[2] as { detached?: boolean } | undefined)?.detached) return child;
    trap.agent('after spawn');
    child.stdin?.once('finish', () => trap.agent('after input'));
    return child;
  };
  syncBuiltinESMExports();
}
