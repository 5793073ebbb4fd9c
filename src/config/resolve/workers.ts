import type { WorkersConfig } from '../config.js';
import { milliseconds } from '../units.js';
import type { Scope } from './scope.js';

export function resolveWorkers({ file: { workers }, faults }: Scope): WorkersConfig {
  const backoff = {
    firstMs: milliseconds(workers.backoff.first),
    factor: workers.backoff.factor,
    maxMs: milliseconds(workers.backoff.max),
  };
  const leaseMs = milliseconds(workers.lease);
  const heartbeatMs = milliseconds(workers.heartbeat);
  if (heartbeatMs === 0 || heartbeatMs >= leaseMs / 2) {
    faults.push({ path: 'workers.heartbeat', message: 'must be more than nothing and less than half of `workers.lease`' });
  }
  if (backoff.firstMs > backoff.maxMs) {
    faults.push({ path: 'workers.backoff.first', message: 'must not be longer than `workers.backoff.max`' });
  }
  const approvalWaitMs = milliseconds(workers.approvalWait);
  const approvalExpiresMs = milliseconds(workers.approvalExpires);
  if (approvalExpiresMs === 0 || approvalExpiresMs < approvalWaitMs) {
    faults.push({ path: 'workers.approvalExpires', message: 'must be more than nothing and not less than `workers.approvalWait`' });
  }
  return {
    concurrency: workers.concurrency,
    perWorkspace: workers.perWorkspace ?? null,
    perOrg: workers.perOrg ?? null,
    maxAttempts: workers.maxAttempts,
    backoff,
    graceMs: milliseconds(workers.grace),
    leaseMs,
    heartbeatMs,
    approvalWaitMs,
    approvalExpiresMs,
    runs: { concurrency: workers.runs.concurrency, readyMs: milliseconds(workers.runs.sandboxReady) },
  };
}
