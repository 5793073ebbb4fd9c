import { afterEach, expect, it } from '@jest/globals';
import { closing, comment, route } from '../core/builders.js';
import { type Core, delivered, eachCore } from '../core/core.js';
import { Bench, type BenchOptions, until } from './harness.js';
import type { StagedTurn } from './staged.runtime.js';

eachCore('a worker', (open) => {
  const benches: Bench[] = [];

  const bench = async (core: Core, options: BenchOptions = {}, routes = [route()]) => {
    const made = new Bench(core, routes, options);
    benches.push(made);
    await made.start();
    return made;
  };

  afterEach(async () => {
    await Promise.all(benches.splice(0).map((each) => each.stop()));
  });

  const isIdle = (core: Core, id: string) => async () => (await core.queue(id)).open === 0;

  it('FIF-2 B37 runs the turns of a conversation one after the other, in order', async () => {
    const core = open();
    const { runtime } = await bench(core);
    const { conversation } = delivered(await core.admit(comment('T-1', 'one')));
    const first = await runtime.next();
    await core.admitAll(comment('T-1', 'two'), comment('T-1', 'three'));
    expect(runtime.begun).toHaveLength(1);
    first.finish();
    const second = await runtime.next();
    second.finish('all done');
    await until(isIdle(core, conversation));
    expect(runtime.begun.map(({ sequences }) => sequences)).toEqual([[1], [2, 3]]);
    expect(await core.rows('select token, state, result from turns order by token')).toEqual([
      { token: 1, state: 'done', result: 'ok' },
      { token: 2, state: 'done', result: 'all done' },
    ]);
  });

  it('FIF-3 B29 runs different conversations at one time, up to its concurrency', async () => {
    const core = open();
    const { runtime, worker } = await bench(core, { concurrency: 2 });
    await core.admitAll(comment('T-1'), comment('T-2'), comment('T-3'));
    const turns = [await runtime.next(), await runtime.next()];
    expect(worker.turnsRunning).toBe(2);
    expect(runtime.begun).toHaveLength(2);
    turns[0]?.finish();
    (await runtime.next()).finish();
    turns[1]?.finish();
    await until(() => worker.turnsRunning === 0);
    expect(new Set(runtime.begun.map(({ input }) => input.conversation.id)).size).toBe(3);
  });

  it('FIF-3 keeps to the room of a workspace, and lets others pass', async () => {
    const routes = [route(), route({ name: 'calm', source: 'calm', workspace: 'calm' })];
    const core = open(...routes);
    await core.admitAll(comment('T-1'), comment('T-2'), { ...comment('C-1'), source: 'calm' });
    const { runtime } = await bench(core, { concurrency: 2, workspaces: [{ concurrency: 1 }, { name: 'calm' }], pollMs: 60_000 }, routes);
    const turns = [await runtime.next(), await runtime.next()];
    const keys = turns.map(({ input }) => input.conversation.subject.key);
    expect(keys.sort()).toEqual(['C-1', 'T-1']);
    for (const turn of turns) turn.finish();
    (await runtime.next()).finish();
  });

  it('WSP-1 FIF-3 a directory is worked in by one turn at a time, whatever workspaces name it', async () => {
    const routes = [
      route(),
      route({ name: 'calm', source: 'calm', workspace: 'calm' }),
      route({ name: 'far', source: 'far', workspace: 'far' }),
    ];
    const core = open(...routes);
    await core.admitAll(comment('T-1'), { ...comment('C-1'), source: 'calm' }, comment('T-2'), { ...comment('F-1'), source: 'far' });
    const sole = '/shared';
    const workspaces = [{ sole }, { name: 'calm', sole }, { name: 'far' }];
    const { runtime, worker } = await bench(core, { concurrency: 4, workspaces, pollMs: 60_000 }, routes);
    const turns = [await runtime.next(), await runtime.next()];
    const keyOf = ({ input }: StagedTurn) => input.conversation.subject.key;
    expect(turns.map(keyOf).toSorted()).toEqual(['F-1', 'T-1']);
    for (const turn of turns) turn.finish();
    for (let left = 2; left > 0; left--) {
      const next = await runtime.next();
      turns.push(next);
      expect(worker.turnsRunning).toBe(1);
      next.finish();
    }
    expect(turns.map(keyOf).toSorted()).toEqual(['C-1', 'F-1', 'T-1', 'T-2']);
  });

  it('TRN-11 gives the agent the messages with instructions, author and times, and keeps its session for the next turn', async () => {
    const routes = [route({ instructions: 'Answer shortly.' })];
    const core = open(...routes);
    const { runtime } = await bench(core, { workspaces: [{ instructions: 'You are kind.' }] }, routes);
    const { conversation } = delivered(await core.admit(comment('T-1', 'hello', { title: 'A title' })));
    const first = await runtime.next();
    expect(first.input).toMatchObject({
      conversation: { id: conversation, org: 'default', title: 'A title', subject: { namespace: 'tracker:acme', key: 'T-1' } },
      turn: { id: `${conversation}.1`, attempt: 1, resumed: false, trust: 'untrusted' },
      session: null,
    });
    const [message] = first.input.turn.messages;
    expect(message).toMatchObject({
      delivery: `${conversation}.1`,
      source: 'tracker',
      author: 'ada',
      text: 'You are kind.\n\nAnswer shortly.\n\nhello',
    });
    expect(Date.parse(message?.sent_at ?? '')).toBeGreaterThanOrEqual(Date.parse(message?.received_at ?? '') - 1000);
    first.say({ type: 'session', id: 's-1' });
    first.finish();
    await core.admit(comment('T-1', 'again'));
    const second = await runtime.next();
    expect(second.input.session).toBe('s-1');
    second.finish();
  });

  it('TRN-2 keeps what a turn says while it says it, in order', async () => {
    const core = open();
    const { runtime } = await bench(core);
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const turn = await runtime.next();
    turn.say({ type: 'text', text: 'thinking \0 \uD800' });
    turn.say({ type: 'tool', name: 'grep', input: { q: 1 } });
    turn.say({ type: 'cost', usd: 0.25 });
    const said = () =>
      core.rows<{ kind: string; body: string }>('select kind, body from transcripts where conversation = ? order by number', conversation);
    await until(async () => (await said()).length === 3);
    expect((await said()).map(({ kind }) => kind)).toEqual(['text', 'tool', 'cost']);
    turn.finish();
    await until(isIdle(core, conversation));
    expect(await core.rows('select cost_usd from turns')).toEqual([{ cost_usd: 0.25 }]);
  });

  it('FIF-5 counts what the agent reports as an attempt, and anything else that is thrown as an interruption', async () => {
    const core = open();
    const { runtime } = await bench(core);
    const ids = (await core.admitAll(comment('T-1'), comment('T-2'))).map((answer) => delivered(answer).conversation);
    const turns = [await runtime.next(), await runtime.next()];
    turns.find(({ input }) => input.conversation.id === ids[0])?.fail('no such tool');
    turns.find(({ input }) => input.conversation.id === ids[1])?.crash('our own bug');
    const heads = () => Promise.all(ids.map(async (id) => (await core.deliveries(id))[0]));
    await until(async () => (await heads()).every((head) => head?.failure !== null));
    expect(await heads()).toMatchObject([
      { attempts: 1, interruptions: 0, failure: 'no such tool' },
      { attempts: 0, interruptions: 1, failure: 'our own bug' },
    ]);
    expect(await core.rows('select state, detail from turns order by state')).toEqual([
      { state: 'failed', detail: 'what it printed' },
      { state: 'interrupted', detail: null },
    ]);
  });

  it('TRM-2 the end of its conversation stops a running turn, which then changes nothing', async () => {
    const core = open();
    const { runtime, worker } = await bench(core);
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const turn = await runtime.next();
    turn.say({ type: 'session', id: 's-1' });
    await until(async () => (await core.conversation(conversation)).session === 's-1');
    await core.admit(closing('T-1', 10));
    await until(() => turn.isAborted && worker.turnsRunning === 0);
    await until(isIdle(core, conversation));
    expect(await core.outcomes(conversation)).toEqual(['prompt retired', 'lifecycle lifecycle']);
    expect(await core.conversation(conversation)).toMatchObject({ state: 'terminal', session: null });
    expect(runtime.begun).toHaveLength(1);
  });

  it('REC-4 parks the work of a workspace that is not configured, and blocks nobody', async () => {
    const core = open(route(), route({ name: 'gone', source: 'gone', workspace: 'gone' }));
    const { runtime } = await bench(core);
    const { conversation } = delivered(await core.admit({ ...comment('G-1'), source: 'gone' }));
    await core.admit(comment('T-1'));
    (await runtime.next()).finish();
    await until(async () => (await core.queue(conversation)).parked === 'unconfigured');
    expect(runtime.begun).toHaveLength(1);
  });

  it('TRN-3 a store that fails at the end of a turn delays the end, and the turn runs once', async () => {
    const core = open();
    const flaky = Object.create(core.database) as Core['database'];
    let failures = 0;
    let isDown = false;
    flaky.transaction = (work) => {
      if (!isDown) return core.database.transaction(work);
      failures += 1;
      return Promise.reject(new Error('the store is down'));
    };
    const { runtime, signals } = await bench(core, { database: flaky });
    core.signals.on('ready', () => signals.emit('ready'));
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const turn = await runtime.next();
    isDown = true;
    turn.finish();
    await until(() => failures >= 2);
    isDown = false;
    await until(isIdle(core, conversation));
    expect(await core.rows('select token, state from turns')).toEqual([{ token: 1, state: 'done' }]);
    expect(runtime.begun).toHaveLength(1);
  });

  it('REC-6 stopping lets turns end within the grace, then interrupts them and leaves them to be tried again', async () => {
    const core = open();
    const { runtime, worker } = await bench(core, { graceMs: 300 });
    const ids = (await core.admitAll(comment('T-1'), comment('T-2'))).map((answer) => delivered(answer).conversation);
    const turns = [await runtime.next(), await runtime.next()];
    const stopped = worker.stop();
    await core.admit(comment('T-3'));
    turns.find(({ input }) => input.conversation.id === ids[0])?.finish();
    await stopped;
    expect(await core.outcomes(ids[0] ?? '')).toEqual(['prompt done']);
    expect((await core.deliveries(ids[1] ?? ''))[0]).toMatchObject({ state: 'pending', attempts: 0, interruptions: 1 });
    expect(await core.queue(ids[1] ?? '')).toMatchObject({ owner: null, parked: null });
    expect(runtime.begun).toHaveLength(2);
  });

  it('TRN-4 after an abandon the same messages run again, but not beside what is still ending', async () => {
    const core = open();
    const { runtime } = await bench(core);
    const { delivery, conversation } = delivered(await core.admit(comment('T-1')));
    const first = await runtime.next();
    await core.operations.abandon('default', delivery, 'ada');
    const second = await runtime.next();
    expect(first.isAborted).toBe(true);
    expect(second.sequences).toEqual([1]);
    second.finish();
    await until(isIdle(core, conversation));
    expect(second.isAborted).toBe(false);
  });
});
