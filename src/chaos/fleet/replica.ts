import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Chronicle } from './chronicle.js';
import type { Fate } from './fate.js';
import { ServerChild } from './server-child.js';

export interface ReplicaOptions {
  readonly name: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** How wrong its clock is. */
  readonly shiftMs: number;
  readonly leaseMs: number;
  /** Whether its claims can be taken over while it is paused. */
  readonly losesLease: boolean;
}

/** For a machine that has much else to do. */
const START_LIMIT_MS = 300_000;
const STOP_LIMIT_MS = 60_000;
const LOOK_MS = 100;
const LOST_LEASE = /was not heard of for a whole lease/;
const PORT_TAKEN = /another program listens on/;

/** A server that is started again at once whenever it ends, and to which things happen. */
export class Replica {
  url = '';
  private port = 0;
  private incarnation = 0;
  private label = '';
  private child: ServerChild | null = null;
  /** The next incarnation: loaded, and waiting for the end of this one. */
  private next: { readonly label: string; readonly child: ServerChild } | null = null;
  private readonly report: string;

  constructor(
    private readonly options: ReplicaOptions,
    private readonly chronicle: Chronicle,
  ) {
    this.report = path.join(options.folder, `${options.name}.report`);
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  /** Lives through one fate after the other until there are no more, or the signal aborts. */
  async live(fates: Iterator<Fate, unknown, undefined>, enough: AbortSignal): Promise<void> {
    this.port = await freePort();
    while (!enough.aborted) {
      const next = fates.next();
      if (next.done) return;
      await this.meet(next.value, enough);
    }
  }

  /** Keeps it running until the signal aborts, and does no more to it. */
  async keep(until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      if (this.child?.hasEnded) await this.noteEnd(this.child);
      if (this.child === null) await this.start(null);
      await pause(LOOK_MS);
    }
  }

  /** Stops it as an operator does; resolves when it has ended. */
  async stop(): Promise<void> {
    this.next?.child.signal('SIGKILL');
    if (this.child) await this.tell(this.child);
  }

  /** At once, whatever it is doing. */
  kill(): void {
    this.next?.child.signal('SIGKILL');
    this.child?.signal('SIGKILL');
  }

  private async meet(fate: Fate, enough: AbortSignal): Promise<void> {
    // Who was only paused goes on to its next fate in the same process; only points are known from the beginning.
    const alive = this.child && !this.child.hasEnded ? this.child : null;
    if (alive && fate.kind === 'point') await this.tellToStop(alive);
    const child = alive && fate.kind !== 'point' ? alive : await this.start(fate);
    if (fate.kind === 'point' && !(await happens(child.works, START_LIMIT_MS, child, enough)) && !child.hasEnded && !enough.aborted)
      this.chronicle.fault(`${this.label} did not start within ${START_LIMIT_MS / 1000} s`);
    await happens(child.ended, fate.kind === 'point' ? fate.atTheLatestMs : fate.afterMs, child, enough);
    if (child.hasEnded) return this.noteEnd(child);
    if (enough.aborted) return;
    if (fate.kind === 'paused') return this.pause(child, fate.forMs);
    if (fate.kind === 'told to stop') return this.tellToStop(child);
    child.signal('SIGKILL');
    await child.ended;
    this.child = null;
    this.cut('at random');
    this.chronicle.count('at random', this.label);
  }

  /** Ended without our signal: at the point at which it was to be killed, or by a fault of its own. */
  private async noteEnd(child: ServerChild): Promise<void> {
    const how = await child.ended;
    this.child = null;
    if (how === 'SIGKILL' && this.notePoint(Date.now())) return;
    this.cut(`ended with ${how}`);
    if (PORT_TAKEN.test(child.lastLine)) this.port = await freePort();
    else this.chronicle.fault(`${this.label} ended by itself with ${how}: ${child.lastLine}`);
  }

  /** False: it has not killed itself at its point. */
  private notePoint(from: number): boolean {
    const point = existsSync(this.report) ? readFileSync(this.report, 'utf8').trim() : '';
    if (point === '') return false;
    this.cut(point, from);
    this.chronicle.count(point, this.label);
    return true;
  }

  private async pause(child: ServerChild, forMs: number): Promise<void> {
    const from = Date.now();
    child.signal('SIGSTOP');
    await pause(forMs);
    child.signal('SIGCONT');
    if (this.options.losesLease) this.cut('paused', from);
    this.chronicle.count(forMs > this.options.leaseMs ? 'paused past the lease' : 'paused', this.label);
  }

  private async tellToStop(child: ServerChild): Promise<void> {
    await this.tell(child);
    this.child = null;
    this.chronicle.count('told to stop', this.label);
  }

  private async tell(child: ServerChild): Promise<void> {
    if (child.hasEnded) return;
    const from = Date.now();
    child.signal('SIGTERM');
    const hasSaidNothing = child.lastLine === '';
    const hasHeeded = await happens(child.ended, STOP_LIMIT_MS, child);
    if (!hasHeeded) {
      this.chronicle.fault(`${this.label} did not stop within ${STOP_LIMIT_MS / 1000} s`);
      child.signal('SIGKILL');
    }
    const how = await child.ended;
    // On its way out it may come by the point at which it was to be killed.
    if (how === 'SIGKILL' && hasHeeded && this.notePoint(from)) return;
    this.cut('told to stop', from);
    // While its first line of code is not yet run, a process ends by the signal itself.
    if (how !== 0 && !(how === 'SIGTERM' && hasSaidNothing)) this.chronicle.fault(`${this.label} did not stop in order: ${how}`);
  }

  private cut(how: string, from = Date.now()): void {
    this.chronicle.cut({ server: this.label, from, to: Date.now(), how });
  }

  private async start(fate: Fate | null): Promise<ServerChild> {
    const { label, child } = this.next ?? this.load();
    this.next = null;
    this.label = label;
    this.child = child;
    this.url = `http://127.0.0.1:${this.port}`;
    rmSync(this.report, { force: true });
    const point = fate?.kind === 'point' ? fate : null;
    child.begin({ point: point?.point.name ?? null, nth: point?.nth ?? 1, report: this.report });
    if (fate !== null) this.next = this.load();
    return child;
  }

  private load(): { label: string; child: ServerChild } {
    this.incarnation += 1;
    const { name, folder, env, shiftMs } = this.options;
    const label = `${name}.${this.incarnation}`;
    const own = { CHAOS_SERVER: label, CHAOS_SHIFT_MS: String(shiftMs), THROUGHLINE_SERVER__REPLICA: name };
    const child = new ServerChild({
      folder,
      log: path.join(folder, `${name}.log`),
      env: { ...env, ...own, THROUGHLINE_SERVER__PORT: String(this.port) },
      onLine: (line) => LOST_LEASE.test(line) && this.cut('lost its lease', Date.now() - this.options.leaseMs),
    });
    return { label, child };
  }
}

/** Whether it comes before the time is up, the child ends, or it is enough. */
async function happens(sign: Promise<unknown>, limitMs: number, child: ServerChild, enough?: AbortSignal): Promise<boolean> {
  const patience = new AbortController();
  const signal = enough ? AbortSignal.any([patience.signal, enough]) : patience.signal;
  const timeIsUp = pause(limitMs, false, { signal }).catch(() => false);
  const result = await Promise.race([sign.then(() => true), child.ended.then(() => false), timeIsUp]);
  patience.abort();
  return result;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
