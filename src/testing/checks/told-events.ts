import assert from 'node:assert/strict';
import type { AcceptResult, Connection, Provider, ProviderEvent } from '../../plugin/index.js';
import { assertValid } from '../valid-parsed.js';

const LONGEST_ID = 255;
const PATIENCE_MS = 10_000;

/** What the host says of an event that it has stored. */
export const STORED: AcceptResult = { duplicate: false, receipt: '1', disposition: 'unmatched' };

/** Fails where the host could not keep an event of a source, or its own parser makes nothing of it. */
export function assertTellable(events: readonly ProviderEvent[], { subjects }: Provider, connection: Connection): void {
  for (const { deliveryId, eventKey, payload } of events) {
    const what = `the event ${deliveryId} (${eventKey})`;
    for (const [name, text] of Object.entries({ id: deliveryId, 'event key': eventKey }))
      assert(
        typeof text === 'string' && text.length > 0 && text.length <= LONGEST_ID,
        `${what} has no ${name} of 1 to ${LONGEST_ID} characters`,
      );
    const parsed = subjects.parse({ connection, eventKey, payload });
    assertValid(parsed, () => what);
    const isUnderstood = parsed.kind !== 'recorded' || !['invalid_shape', 'unknown_event'].includes(parsed.reason);
    assert(isUnderstood, `${what} is nothing to the plugin’s own parser`);
  }
}

export function idsOf(events: readonly ProviderEvent[]): string[] {
  return events.map(({ deliveryId }) => deliveryId);
}

/** Resolves when the work has settled, however it did; fails where it does not in time. */
export async function settles(work: Promise<unknown>, what: string, patienceMs = PATIENCE_MS): Promise<void> {
  await within(
    work.catch(() => undefined),
    what,
    patienceMs,
  );
}

/** What the work resolves to; fails where that takes too long. */
export async function within<Result>(work: Promise<Result>, what: string, patienceMs = PATIENCE_MS): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new assert.AssertionError({ message: `${what} within ${patienceMs} ms` })), patienceMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
