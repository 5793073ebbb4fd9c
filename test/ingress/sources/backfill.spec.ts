import { afterEach, expect, it } from '@jest/globals';
import type { SourceSpec } from '../../../src/ingress/sources/source-spec.js';
import { type Backfill, type EventSink, ProviderFault } from '../../../src/plugin/index.js';
import { comment, route } from '../../core/builders.js';
import { type Core, eachCore } from '../../core/core.js';
import { until } from '../../worker/harness.js';
import { backfillSpec, SourceBench, streamSpec } from './bench.js';
import { chat, FakeStream, message } from './fakes.js';

/** A provider that remembers what it said when, and can be asked for it. */
class Remembering implements Backfill {
  readonly said: { readonly at: number; readonly number: number }[] = [];
  readonly asked: Date[] = [];
  failures = 0;

  async since(_connection: unknown, mark: Date, sink: EventSink): Promise<void> {
    this.asked.push(mark);
    for (const { at, number } of this.said) {
      if (at < mark.getTime()) continue;
      if (number === 4 && this.failures-- > 0) throw new ProviderFault('rate limited', 'transient');
      await sink.accept(message(number));
    }
  }
}

eachCore('gaps', (open) => {
  const benches: SourceBench[] = [];

  const bench = (core: Core, specs: readonly SourceSpec[]) => {
    const made = new SourceBench(core, specs);
    benches.push(made);
    return made;
  };

  const end = () => Promise.all(benches.splice(0).map(({ supervisor }) => supervisor.stop()));
  const gaps = (core: Core) =>
    core.rows<{ since: number; tries: number; failure: string | null }>('select since, tries, failure from gaps');
  const now = async (core: Core) => (await core.rows<{ now: number }>(`select ${core.database.dialect.now} as now`))[0]?.now ?? 0;

  /** What was accepted while the server lived, under the ids of the provider. */
  const receive = (core: Core, number: number) =>
    core.admissions.admit({ ...comment('T-1', `message ${number}`), deliveryId: `m-${number}`, provider: 'fake', source: chat.name });

  afterEach(end);

  it('REC-5 after a downtime nothing is missed and nothing doubled', async () => {
    const core = open(route());
    const provider = new Remembering();
    const say = async (number: number) => provider.said.push({ at: await now(core), number });
    for (const number of [1, 2, 3]) {
      await say(number);
      await receive(core, number);
    }
    // Nobody is there for these.
    for (const number of [4, 5]) await say(number);
    const made = bench(core, [backfillSpec(provider)]);
    await made.supervisor.noteGaps();
    // An event that comes at once after the start does not hide the gap before it.
    await say(6);
    await receive(core, 6);
    made.supervisor.start();
    await until(async () => provider.asked.length > 0 && (await gaps(core)).length === 0);
    expect((await made.received()).map(({ delivery_id }) => delivery_id).sort()).toEqual(['m-1', 'm-2', 'm-3', 'm-4', 'm-5', 'm-6']);
    expect((await made.delivered()).length).toBe(6);
    const [third] = await core.rows<{ received_at: number }>("select received_at from receipts where delivery_id = 'm-3'");
    expect(provider.asked).toEqual([new Date(third?.received_at ?? 0)]);
  });

  it('REC-5 a failure is visible and tried again from the same mark', async () => {
    const core = open(route());
    const provider = new Remembering();
    await receive(core, 3);
    const at = (await now(core)) + 1;
    for (const number of [4, 5]) provider.said.push({ at, number });
    provider.failures = 2;
    const made = bench(core, [backfillSpec(provider)]);
    await made.supervisor.noteGaps();
    made.supervisor.start();
    await until(async () => (await gaps(core)).some(({ tries, failure }) => tries > 0 && failure === 'rate limited'));
    await until(async () => (await gaps(core)).length === 0);
    expect(await made.delivered()).toEqual(['m-3', 'm-4', 'm-5']);
    expect(new Set(provider.asked.map(Number)).size).toBe(1);
  });

  it('REC-5 goes on from what the provider said that it had asked, until all was, on whatever replica', async () => {
    const core = open(route());
    await receive(core, 1);
    const saved: (string | null)[] = [];
    const halting: Backfill = {
      since: async (_connection, _mark, sink, _signal, progress) => {
        saved.push(progress.saved);
        for (let number = Number(progress.saved ?? 2); number <= 4; number++) {
          if (number === 4 && saved.length < 2) throw new ProviderFault('enough for now', 'transient');
          await sink.accept(message(number));
          await progress.save(String(number + 1));
        }
        // A longer text than the host keeps is refused, and what was there stays.
        await expect(progress.save('x'.repeat(65_537))).rejects.toThrow('65536');
      },
    };
    const made = bench(core, [backfillSpec(halting)]);
    await made.supervisor.noteGaps();
    made.supervisor.start();
    await until(async () => (await gaps(core)).every(({ failure }) => failure !== null));
    await made.supervisor.stop();
    const next = bench(core, [backfillSpec(halting)]);
    next.supervisor.start();
    await until(async () => (await gaps(core)).length === 0);
    expect(saved.slice(0, 2)).toEqual([null, '4']);
    expect(await next.delivered()).toEqual(['m-1', 'm-2', 'm-3', 'm-4']);
  });

  it('REC-5 a gap that is noted again while it is being asked about stays, and is asked about once more', async () => {
    const core = open(route());
    await receive(core, 1);
    let asked = 0;
    const backfill: Backfill = {
      since: async (_connection, _mark, sink) => {
        asked += 1;
        if (asked === 1) await made.supervisor.noteGaps();
        else await sink.accept(message(2));
      },
    };
    const made: SourceBench = bench(core, [backfillSpec(backfill)]);
    await made.supervisor.noteGaps();
    made.supervisor.start();
    await until(async () => (await gaps(core)).length === 0);
    expect(asked).toBe(2);
    expect(await made.delivered()).toEqual(['m-1', 'm-2']);
  });

  it('REC-5 a history is asked when the stream stands, for what is said before that would be missed', async () => {
    const core = open(route());
    await receive(core, 1);
    const [provider, stream] = [new Remembering(), new FakeStream()];
    const made = bench(core, [streamSpec(stream, true), backfillSpec(provider, 'stream:default/tracker')]);
    await made.supervisor.noteGaps();
    made.supervisor.start();
    const socket = await stream.sockets.next();
    await until(async () => (await made.states()).some(({ name, state }) => name.startsWith('backfill') && state === 'connected'));
    expect(provider.asked).toEqual([]);
    provider.said.push({ at: (await now(core)) + 1, number: 2 });
    socket.sink.connected();
    await until(async () => (await gaps(core)).length === 0);
    expect(await made.delivered()).toEqual(['m-1', 'm-2']);
  });

  it('REC-5 a source that never had an event has no history that was missed', async () => {
    const core = open(route());
    const made = bench(core, [backfillSpec(new Remembering())]);
    await made.supervisor.noteGaps();
    expect(await gaps(core)).toEqual([]);
  });

  it('REC-5 a stream that is made anew notes the gap before its first event, whoever makes it', async () => {
    const core = open(route());
    const provider = new Remembering();
    const stream = new FakeStream();
    bench(core, [streamSpec(stream, true), backfillSpec(provider)]).supervisor.start();
    const socket = await stream.sockets.next();
    provider.said.push({ at: await now(core), number: 1 });
    await socket.sink.accept(message(1));
    socket.fail(new Error('reset by peer'));
    provider.said.push({ at: (await now(core)) + 1, number: 2 });
    const again = await stream.sockets.next();
    await again.sink.accept(message(3));
    expect(await gaps(core)).toHaveLength(1);
    await end();
    const made = bench(core, [streamSpec(new FakeStream(), true), backfillSpec(provider)]);
    made.supervisor.start();
    await until(async () => (await gaps(core)).length === 0 && provider.asked.length > 0);
    expect((await made.delivered()).sort()).toEqual(['m-1', 'm-2', 'm-3']);
  });

  it('REC-5 ACC-2 what a provider tells again in other bytes is a duplicate, and a conflict only where it claims to be the same bytes', async () => {
    const core = open(route());
    for (const number of [1, 2]) await receive(core, number);
    const provider: Backfill = {
      since: async (_connection, _mark, sink) => {
        await sink.accept({ ...message(1), isCopy: true });
        await sink.accept(message(2));
      },
    };
    const made = bench(core, [backfillSpec(provider)]);
    await made.supervisor.noteGaps();
    made.supervisor.start();
    await until(async () => (await gaps(core)).length === 0);
    expect(await made.delivered()).toEqual(['m-1', 'm-2']);
    const conflicts = 'select r.delivery_id from receipt_conflicts c join receipts r on r.id = c.receipt';
    expect(await core.rows(conflicts)).toEqual([{ delivery_id: 'm-2' }]);
  });
});
