import { ProviderFault } from '../plugin/index.js';

/** Lets a plugin work until the signal aborts or the time is up. A plugin that does not heed its signal is no longer waited for. */
export async function within<T>(limitMs: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  const both = AbortSignal.any([signal, limit.signal]);
  const timer = setTimeout(() => limit.abort(new ProviderFault(`no answer within ${limitMs / 1000} s`, 'transient')), limitMs);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(both.reason as Error);
  both.addEventListener('abort', onAbort, { once: true });
  try {
    both.throwIfAborted();
    return await Promise.race([work(both), aborted]);
  } finally {
    clearTimeout(timer);
    both.removeEventListener('abort', onAbort);
  }
}

const NETWORK = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|ENETUNREACH|EHOSTUNREACH|EAI_AGAIN|UND_ERR)/;

/** Whether the same call may well succeed later, without anybody mending anything. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ProviderFault) return error.kind === 'transient';
  const { code, name, cause } = (error ?? {}) as { code?: unknown; name?: unknown; cause?: unknown };
  if (typeof code === 'string' && NETWORK.test(code)) return true;
  if (name === 'TimeoutError' || name === 'AbortError') return true;
  return cause !== undefined && cause !== error && isTransient(cause);
}

/** The pause that the provider asked for, within an hour; null: it did not. */
export function askedPauseMs(error: unknown): number | null {
  const asked = error instanceof ProviderFault ? error.retryAfterMs : null;
  return asked === null || !Number.isFinite(asked) ? null : Math.min(Math.max(0, asked), 3_600_000);
}
