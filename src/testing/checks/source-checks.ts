import assert from 'node:assert/strict';
import type { PollTransport, StreamTransport } from '../../plugin/index.js';
import type { Check } from '../check.js';
import type { UnderTest } from '../under-test.js';

const PATIENCE_MS = 10_000;

/** How a provider is heard that posts nothing. */
export function sourceChecks(under: UnderTest): Check[] {
  return [...streamChecks(under), ...pollChecks(under)];
}

function streamChecks(under: UnderTest): Check[] {
  return [
    {
      section: 'stream',
      name: 'ends when it is told to, before and after it stands',
      run: async () => {
        const stream = await streamOf(under);
        await under.onStage(async (connection) => {
          if (stream.usedBy?.(connection) === false) return;
          const patienceMs = under.samples.patienceMs ?? PATIENCE_MS;
          await settles(
            stream.open(
              connection,
              silentSink(() => undefined),
              AbortSignal.abort(),
            ),
            patienceMs,
          );
          const stop = new AbortController();
          await settles(
            stream.open(
              connection,
              silentSink(() => stop.abort()),
              stop.signal,
            ),
            patienceMs,
          );
        });
      },
    },
  ];
}

function pollChecks(under: UnderTest): Check[] {
  return [
    {
      section: 'poll',
      name: 'reads the same page again from the same cursor',
      run: async () => {
        const poll = await pollOf(under);
        await under.onStage(async (connection) => {
          if (poll.usedBy?.(connection) === false) return;
          const { signal } = new AbortController();
          const first = await poll.poll(connection, null, signal);
          for (const { deliveryId, eventKey } of first.events)
            assert(deliveryId !== '' && eventKey !== '', 'an event has no id, or no key');
          const pages = [await poll.poll(connection, first.cursor, signal), await poll.poll(connection, first.cursor, signal)];
          const [ids, again] = pages.map(({ events }) => events.map(({ deliveryId }) => deliveryId));
          assert.deepEqual(again, ids, 'a page that is asked for again must hold the same events: the host may have lost the first');
        });
      },
    },
  ];
}

function silentSink(connected: () => void): Parameters<StreamTransport['open']>[1] {
  const accept = async () => ({ duplicate: false, receipt: 'r', disposition: 'unmatched' });
  return { accept, connected, heard: () => undefined };
}

async function settles(work: Promise<void>, patienceMs: number): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const onLate = () => reject(new assert.AssertionError({ message: 'the stream goes on after it was told to end' }));
  const timer = setTimeout(onLate, patienceMs);
  try {
    // Whether it resolves or rejects by then is all the same.
    await Promise.race([work.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function streamOf(under: UnderTest): Promise<StreamTransport> {
  const { transports } = await under.provider();
  return transports.find((transport) => transport.kind === 'stream') ?? assert.fail('the provider has no stream');
}

async function pollOf(under: UnderTest): Promise<PollTransport> {
  const { transports } = await under.provider();
  return transports.find((transport) => transport.kind === 'poll') ?? assert.fail('the provider has no poller');
}
