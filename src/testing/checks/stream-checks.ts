import assert from 'node:assert/strict';
import { setImmediate as pause } from 'node:timers/promises';
import type { Connection, Provider, ProviderEvent, StreamSink, StreamTransport } from '../../plugin/index.js';
import type { Check } from '../check.js';
import type { SampleStream, Stage } from '../samples.js';
import type { UnderTest } from '../under-test.js';
import { assertTellable, idsOf, STORED, settles, within } from './told-events.js';

/** A stream, its connection, and the provider that it is connected to. */
interface Scene {
  readonly stream: StreamTransport;
  readonly connection: Connection;
  readonly provider: Provider;
  readonly stage: Stage;
  readonly sample: SampleStream;
  readonly patienceMs: number | undefined;
}

const ENDS = 'the stream did not end when it was told to';
const STANDS = 'the stream did not stand';

export function streamChecks(under: UnderTest, sample: SampleStream): Check[] {
  const check = (name: string, run: (scene: Scene) => Promise<void>): Check => ({
    section: 'stream',
    name,
    run: async () => {
      const provider = await under.provider();
      const stream = provider.transports.find((transport) => transport.kind === 'stream');
      assert(stream, 'the plugin receives a stream, and its provider has none');
      const { patienceMs } = under.samples;
      await under.onStage(async (connection, stage) => {
        assert.notEqual(stream.usedBy?.(connection), false, 'the stage’s connection must be one that uses the stream');
        await run({ stream, connection, provider, stage, sample, patienceMs });
      });
    },
  });
  return [
    check('ends when it is told to, before and after it stands', async (scene) => {
      const { stream, connection, patienceMs } = scene;
      await settles(stream.open(connection, sinkOf(async () => STORED).sink, AbortSignal.abort()), ENDS, patienceMs);
      const { end } = await stand(scene, async () => undefined);
      await end();
    }),
    check('tells what happens, in its order, each under an id of its own', async (scene) => {
      const { sample: source, stage, provider, connection, patienceMs } = scene;
      const events: ProviderEvent[] = [];
      const heard = new Awaited(3);
      const { end } = await stand(scene, async (event) => {
        events.push(event);
        heard.count();
      });
      for (const number of [1, 2, 3]) await source.happen(stage, number);
      await within(heard.reached, 'the stream did not tell of three things that happened', patienceMs).finally(end);
      assertTellable(events, provider, connection);
      assert.equal(new Set(idsOf(events)).size, events.length, `several events have one id: ${idsOf(events).join(', ')}`);
    }),
    check('acknowledges nothing that was not stored', async (scene) => {
      if (scene.sample.isAcknowledged === true) await assertToldAgain(scene);
    }),
  ];
}

/** As the host does: what was not stored is refused, and a stream that ended is opened anew. */
async function assertToldAgain({ stream, connection, sample, stage, patienceMs }: Scene): Promise<void> {
  const stop = new AbortController();
  const told: string[] = [];
  const [stood, toldAgain] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { sink } = sinkOf(async ({ deliveryId }) => {
    told.push(deliveryId);
    if (told.length === 1) throw new Error('the store is down');
    toldAgain.resolve();
    return STORED;
  });
  const open = async () => {
    while (!stop.signal.aborted) {
      await stream.open(connection, { ...sink, connected: stood.resolve }, stop.signal).catch(() => undefined);
      await pause();
    }
  };
  const opened = open();
  try {
    await within(stood.promise, STANDS, patienceMs);
    await sample.happen(stage, 1);
    await within(toldAgain.promise, 'an event that was not stored was not told again', patienceMs);
  } finally {
    stop.abort();
    await settles(opened, ENDS, patienceMs);
  }
  assert.equal(told[1], told[0], 'an event that was not stored is told under another id');
}

/** Opens the stream; resolves when it stands. */
async function stand({ stream, connection, patienceMs }: Scene, accept: (event: ProviderEvent) => Promise<void>) {
  const stop = new AbortController();
  const { sink, stands } = sinkOf(async (event) => {
    await accept(event);
    return STORED;
  });
  const open = stream.open(connection, sink, stop.signal);
  // What ends before it stands says why.
  await within(Promise.race([stands, open]), STANDS, patienceMs);
  const end = async () => {
    stop.abort();
    await settles(open, ENDS, patienceMs);
  };
  return { end };
}

function sinkOf(accept: StreamSink['accept']): { readonly sink: StreamSink; readonly stands: Promise<void> } {
  const { promise: stands, resolve: connected } = Promise.withResolvers<void>();
  return { sink: { accept, connected, heard: () => undefined }, stands };
}

/** So many times something is waited for. */
class Awaited {
  private readonly settled = Promise.withResolvers<void>();

  constructor(private left: number) {}

  get reached(): Promise<void> {
    return this.settled.promise;
  }

  count(): void {
    this.left -= 1;
    if (this.left <= 0) this.settled.resolve();
  }
}
