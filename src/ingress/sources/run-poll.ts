import { readCursor } from '../../core/cursors/cursors.js';
import { type Page, ProviderFault } from '../../plugin/index.js';
import { type Attempt, pause, untilSettled } from './attempt.js';
import type { Of } from './source-spec.js';

const DEFAULT_TIMEOUT_MS = 60_000;

/** Asks for page after page, from where the last stored one ended, until one fails. */
export async function runPoll(spec: Of<'poll'>, attempt: Attempt): Promise<void> {
  const { org, name } = spec.connection;
  while (!attempt.signal.aborted) {
    const cursor = await attempt.database.transaction((tx) => readCursor(tx, org, name));
    const page = await ask(spec, cursor, attempt.signal);
    await attempt.admission.admitPage(page);
    attempt.connected(page.notice);
    // A provider that says there is more, and does not move on, is asked no more often than one that says nothing.
    if (page.more !== true || page.cursor === cursor) await pause(spec.intervalMs, attempt.signal);
  }
}

function ask({ transport, connection }: Of<'poll'>, cursor: string | null, outer: AbortSignal): Promise<Page> {
  const timeoutMs = transport.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  return untilSettled(outer, async (signal, abort) => {
    const timer = setTimeout(() => abort(new ProviderFault(`there was no answer within ${timeoutMs} ms`, 'transient')), timeoutMs);
    try {
      return await transport.poll(connection, cursor, signal);
    } finally {
      clearTimeout(timer);
    }
  });
}
