import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../database/database.js';
import type { OwnedAdmission } from './owned-admission.js';

/** What one try to keep a source up is given. It goes on until the source ends, fails, or is no longer this replica's. */
export interface Attempt {
  readonly database: Database;
  readonly admission: OwnedAdmission;
  /** Aborted when the source is no longer this replica's, or the process stops. */
  readonly signal: AbortSignal;
  /** It stands: what went wrong before is forgotten. `notice`: what a person should know all the same. */
  connected(notice?: string): void;
}

/** A plugin that is told to stop has so long to close what it opened. */
const CLOSING_MS = 10_000;

/**
 * What the plugin does, under a signal of its own that ends with the outer one. A plugin that does not settle when it is told to is waited
 * for a while and then left: one that hangs must not keep the source from ever being tried again.
 */
export async function untilSettled<Result>(
  outer: AbortSignal,
  work: (signal: AbortSignal, abort: (reason: Error) => void) => Promise<Result>,
): Promise<Result> {
  const inner = new AbortController();
  const abort = (reason: unknown) => inner.abort(reason);
  const onOuter = () => abort(outer.reason);
  outer.addEventListener('abort', onOuter, { once: true });
  if (outer.aborted) onOuter();
  try {
    inner.signal.throwIfAborted();
    const running = Promise.resolve(work(inner.signal, abort));
    return await Promise.race([running, closedLate(inner.signal, running)]);
  } finally {
    outer.removeEventListener('abort', onOuter);
    abort(new Error('ended'));
  }
}

/** Rejects with the reason of the abort, after the plugin has settled or its time is over. */
async function closedLate(signal: AbortSignal, running: Promise<unknown>): Promise<never> {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  const settled = running.then(
    () => undefined,
    () => undefined,
  );
  await Promise.race([settled, delay(CLOSING_MS, undefined, { ref: false })]);
  throw signal.reason;
}

/** Resolves after the time, or at once when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
