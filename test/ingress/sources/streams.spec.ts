import { afterEach, expect, it } from '@jest/globals';
import { StoreUnavailable } from '../../../src/core/admission/store-unavailable.js';
import type { SourceSpec } from '../../../src/ingress/sources/source-spec.js';
import { ConfigFault } from '../../../src/plugin/index.js';
import { route } from '../../core/builders.js';
import { type Core, eachCore } from '../../core/core.js';
import { until } from '../../worker/harness.js';
import { SourceBench, streamSpec } from './bench.js';
import { FakeStream, message } from './fakes.js';

eachCore('streams', (open) => {
  const benches: SourceBench[] = [];

  const bench = (core: Core, specs: readonly SourceSpec[], change: ConstructorParameters<typeof SourceBench>[2] = {}) => {
    const made = new SourceBench(core, specs, change);
    benches.push(made);
    made.supervisor.start();
    return made;
  };

  afterEach(async () => {
    await Promise.all(benches.splice(0).map(({ supervisor }) => supervisor.stop()));
  });

  it('ING-7 B7 an envelope is answered for after its commit; a retry of it is a duplicate, and is not dropped for being one', async () => {
    const core = open(route());
    const stream = new FakeStream();
    const made = bench(core, [streamSpec(stream)]);
    const socket = await stream.sockets.next();
    socket.sink.connected();
    expect(await socket.sink.accept(message(1))).toMatchObject({ duplicate: false, disposition: 'routed' });
    expect(await socket.sink.accept(message(1))).toMatchObject({ duplicate: true, disposition: 'routed' });
    expect(await made.received()).toEqual([{ delivery_id: 'm-1' }]);
    expect(await made.delivered()).toEqual(['m-1']);
  });

  it('ING-7 while the store is down nothing is acknowledged, and nothing is left behind', async () => {
    const core = open(route());
    let isDown = true;
    const admission = Object.create(core.admissions) as Core['admissions'];
    admission.admitTogether = (events, bracket) =>
      isDown ? Promise.reject(new StoreUnavailable()) : core.admissions.admitTogether(events, bracket);
    const stream = new FakeStream();
    bench(core, [streamSpec(stream)], { admission });
    const { sink } = await stream.sockets.next();
    await expect(sink.accept(message(1))).rejects.toThrow(StoreUnavailable);
    isDown = false;
    expect(await sink.accept(message(1))).toMatchObject({ duplicate: false });
  });

  it('ING-7 events that arrive together keep their order; a malformed one is refused alone', async () => {
    const core = open(route());
    const stream = new FakeStream();
    const made = bench(core, [streamSpec(stream)]);
    const { sink } = await stream.sockets.next();
    const events = Array.from({ length: 30 }, (_, i) => (i === 7 ? { ...message(7), deliveryId: '' } : message(i)));
    const results = await Promise.allSettled(events.map((event) => sink.accept(event)));
    expect(results.map(({ status }) => status)).toEqual(events.map((_, i) => (i === 7 ? 'rejected' : 'fulfilled')));
    expect(await made.delivered()).toEqual(events.flatMap((_, i) => (i === 7 ? [] : [`m-${i}`])));
  });

  it('ING-6 a connection that fails is made again; one source’s failure touches no other', async () => {
    const core = open(route());
    const [bad, good] = [new FakeStream(), new FakeStream()];
    const made = bench(core, [streamSpec(bad, false, 'bad'), streamSpec(good, false, 'good')]);
    const first = await bad.sockets.next();
    const healthy = await good.sockets.next();
    healthy.sink.connected();
    first.fail(new Error('the provider hung up'));
    (await bad.sockets.next()).end();
    await bad.sockets.next();
    expect(healthy.isClosed).toBe(false);
    expect(good.sockets.all).toHaveLength(1);
    expect(await healthy.sink.accept(message(1))).toMatchObject({ duplicate: false });
    await until(async () => (await made.states()).some(({ name, state }) => name.endsWith('good') && state === 'connected'));
  });

  it('ING-6 a fault of the configuration stops that source alone, is visible, and waits for a restart', async () => {
    const core = open(route());
    const stream = new FakeStream();
    const made = bench(core, [streamSpec(stream)]);
    (await stream.sockets.next()).fail(new ConfigFault('the token is not that of a bot'));
    await until(async () => (await made.state()) === 'misconfigured');
    expect(await made.states()).toMatchObject([{ detail: 'the token is not that of a bot', owner: core.owner }]);
    expect(stream.sockets.all).toHaveLength(1);
    await core.change('update leases set owner = null, token = token + 1');
    made.signals.emit('sources');
    (await stream.sockets.next()).sink.connected();
    await until(async () => (await made.state()) === 'connected');
  });

  it('ING-6 a half-open connection is closed and made anew; a ping keeps it', async () => {
    const core = open(route());
    const stream = new FakeStream({ silenceMs: 150 });
    bench(core, [streamSpec(stream)]);
    const socket = await stream.sockets.next();
    socket.sink.connected();
    const pings = setInterval(() => socket.sink.heard(), 20);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(socket.isClosed).toBe(false);
    clearInterval(pings);
    await stream.sockets.next();
    expect(socket.isClosed).toBe(true);
  });

  it('ING-6 sockets are closed before the process ends, and given back', async () => {
    const core = open(route());
    const stream = new FakeStream();
    const made = bench(core, [streamSpec(stream)]);
    const socket = await stream.sockets.next();
    await made.supervisor.stop();
    expect(socket.isClosed).toBe(true);
    expect(await made.states()).toMatchObject([{ owner: null, state: null }]);
    await expect(socket.sink.accept(message(1))).rejects.toThrow("another replica's now");
    expect(await made.received()).toEqual([]);
  });

  it('ING-9 one replica has a stream; when it leaves, another has it; the old one can store nothing any more', async () => {
    const core = open(route());
    const { core: second, close } = await core.another(route());
    const [one, two] = [new FakeStream(), new FakeStream()];
    const first = bench(core, [streamSpec(one)]);
    const old = await one.sockets.next();
    const next = bench(second, [streamSpec(two)]);
    expect((await next.states()).map(({ owner }) => owner)).toEqual([core.owner]);
    // As a replica that was stopped for longer than its lease: it does not know, and its socket is still open.
    first.owner = null;
    await core.change('update replicas set lease_until = 1 where id = ?', core.owner);
    const taken = await two.sockets.next();
    await expect(old.sink.accept(message(1))).rejects.toThrow("another replica's now");
    expect(old.isClosed).toBe(true);
    expect(await taken.sink.accept(message(1))).toMatchObject({ duplicate: false });
    expect(await next.states()).toMatchObject([{ owner: second.owner, token: 2 }]);
    await Promise.all(benches.splice(0).map(({ supervisor }) => supervisor.stop()));
    await core.change(`update replicas set lease_until = ${core.database.dialect.now} + 600000 where id = ?`, core.owner);
    await close();
  });

  it('ING-9 a provider that bears several connections has one from each replica', async () => {
    const core = open(route());
    const { core: second, close } = await core.another(route());
    const [one, two] = [new FakeStream({ several: true }), new FakeStream({ several: true })];
    bench(core, [streamSpec(one)]);
    bench(second, [streamSpec(two)]);
    const sockets = [await one.sockets.next(), await two.sockets.next()];
    const answers = await Promise.all(sockets.map(({ sink }) => sink.accept(message(1))));
    expect(answers.map(({ duplicate }) => duplicate).sort()).toEqual([false, true]);
    await Promise.all(benches.splice(0).map(({ supervisor }) => supervisor.stop()));
    await close();
  });
});
