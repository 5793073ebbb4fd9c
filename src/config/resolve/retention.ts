import type { RetentionConfig } from '../config.js';
import { milliseconds } from '../units.js';
import type { Scope } from './scope.js';

/** Providers repeat deliveries for hours: what is forgotten sooner would be taken for new. */
const SHORTEST_MEMORY_MS = 86_400_000;

export function resolveRetention({ file: { retention }, faults }: Scope): RetentionConfig {
  const [payloadsMs, receiptsMs] = [milliseconds(retention.payloads), milliseconds(retention.receipts)];
  if (receiptsMs < SHORTEST_MEMORY_MS) {
    const message = 'must be at least `1d`: an event that a provider sends again is known by its receipt';
    faults.push({ path: 'retention.receipts', message });
  }
  if (payloadsMs > receiptsMs) faults.push({ path: 'retention.payloads', message: 'must not be longer than `retention.receipts`' });
  return {
    payloadsMs,
    receiptsMs,
    transcriptsMs: milliseconds(retention.transcripts),
    effectsMs: milliseconds(retention.effects),
    auditMs: milliseconds(retention.audit),
  };
}
