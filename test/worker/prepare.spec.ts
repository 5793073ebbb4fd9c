import { afterEach, expect, it } from '@jest/globals';
import { changedPlacements, placeConversations } from '../../src/core/conversations/place-conversations.js';
import { type ClaimedDelivery, type Preparer, ProviderFault, type TrustedProcessor, type Verdict } from '../../src/plugin/index.js';
import { closing, comment, event, lifecycle, opened, prompt, revision, route } from '../core/builders.js';
import { type Core, delivered, eachCore } from '../core/core.js';
import { Bench, type BenchOptions, until } from './harness.js';
import { StagedRuntime } from './staged.runtime.js';

const AT_ONCE = { maxAttempts: 3, backoff: { firstMs: 0, factor: 1, maxMs: 0 } };
const PROCEED: Verdict = { verdict: 'proceed' };

/** A provider that has a word before turns, and says what the test says. */
class Asked implements Preparer, TrustedProcessor {
  readonly prepared: ClaimedDelivery[] = [];
  readonly processed: ClaimedDelivery[] = [];
  say: (delivery: ClaimedDelivery) => Promise<Verdict> | Verdict = () => PROCEED;
  decide: (delivery: ClaimedDelivery) => Promise<Verdict> | Verdict = () => PROCEED;

  async prepare(delivery: ClaimedDelivery): Promise<Verdict> {
    this.prepared.push(delivery);
    return this.say(delivery);
  }

  async process(delivery: ClaimedDelivery): Promise<Verdict> {
    this.processed.push(delivery);
    return this.decide(delivery);
  }
}

eachCore('what a provider has to say before a turn', (open) => {
  const benches: Bench[] = [];

  const bench = async (core: Core, provider: BenchOptions['provider'], options: BenchOptions = {}, routes = [route()]) => {
    const made = new Bench(core, routes, { ...(provider && { provider }), retry: AT_ONCE, ...options });
    benches.push(made);
    await made.start();
    return made;
  };

  afterEach(async () => {
    await Promise.all(benches.splice(0).map((each) => each.stop()));
  });

  const isIdle = (core: Core, id: string) => async () => (await core.queue(id)).open === 0;

  it('TRN-6 is asked about each of several messages of one turn; an ignored one leaves it, with its reason', async () => {
    const core = open();
    const asked = new Asked();
    asked.say = ({ sequence }) => (sequence === 3 ? PROCEED : { verdict: 'ignore', reason: 'off_board' });
    await core.admitAll(comment('T-1', 'one'), comment('T-1', 'two'), comment('T-1', 'three'), comment('T-1', 'four'));
    const { runtime } = await bench(core, { preparer: asked });
    const turn = await runtime.next();
    expect(turn.sequences).toEqual([3]);
    turn.finish();
    const { conversation } = delivered(await core.admit(comment('T-1', 'five')));
    await until(isIdle(core, conversation));
    expect(asked.prepared.map(({ sequence, parsed }) => [sequence, 'text' in parsed && parsed.text])).toEqual([
      ...[1, 2, 3, 4].map((n) => [n, ['one', 'two', 'three', 'four'][n - 1]]),
      [5, 'five'],
    ]);
    expect((await core.deliveries(conversation)).map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['ignored', 'off_board'],
      ['ignored', 'off_board'],
      ['done', null],
      ['ignored', 'off_board'],
      ['ignored', 'off_board'],
    ]);
  });

  it('TRN-6 a state that was read and ends the subject makes the message its lifecycle delivery, retires the others and wakes nobody', async () => {
    const both = [route(), route({ name: 'own', scope: 'automation' })];
    const core = open(...both);
    const asked = new Asked();
    const settled: unknown[] = [];
    asked.say = () => ({
      verdict: 'lifecycle',
      observation: { state: 'terminal', reason: 'canceled', revision: revision(9) },
      context: { done: 's-1' },
    });
    const [first] = await core.admitAll(comment('T-1', 'one'), comment('T-1', 'two'));
    const ids = first?.deliveries.map(({ conversation }) => conversation) ?? [];
    const handler = {
      settle: async (s: { context: unknown; conversation: { id: string } }) => void settled.push([s.conversation.id, s.context]),
    };
    const { runtime } = await bench(core, { preparer: asked, lifecycle: handler }, { concurrency: 1 }, both);
    await until(async () => (await Promise.all(ids.map((id) => isIdle(core, id)()))).every(Boolean));
    expect(runtime.begun).toHaveLength(0);
    expect(asked.prepared).toHaveLength(1);
    const [own, other] = asked.prepared[0]?.conversation.id === ids[0] ? ids : ids.toReversed();
    expect(await core.outcomes(own ?? '')).toEqual(['lifecycle lifecycle', 'prompt retired']);
    expect(await core.outcomes(other ?? '')).toEqual(['prompt retired', 'prompt retired']);
    for (const id of ids) expect(await core.conversation(id)).toMatchObject({ state: 'terminal', reason: 'canceled' });
    expect(settled).toEqual([[own, { done: 's-1' }]]);
    expect(await core.rows("select count(*) as count from notes where kind = 'closed'")).toEqual([{ count: 2 }]);
  });

  it('TRN-6 a state that is older than what is known changes nothing', async () => {
    const core = open();
    const asked = new Asked();
    asked.say = () => ({ verdict: 'proceed', observation: { state: 'terminal', revision: revision(5) } });
    const { runtime } = await bench(core, { preparer: asked });
    const { conversation } = delivered(await core.admit(event(prompt('T-1', 'opened', { observation: opened(20) }))));
    (await runtime.next()).finish();
    await until(isIdle(core, conversation));
    expect(await core.conversation(conversation)).toMatchObject({ state: 'open' });
  });

  it('TRN-6 what the provider cannot say now is asked again for as long as it takes, apart from the attempts, and is shown', async () => {
    const core = open();
    const asked = new Asked();
    asked.say = () => {
      if (asked.prepared.length <= 5) throw new ProviderFault('no answer', 'transient');
      return PROCEED;
    };
    const { runtime } = await bench(core, { preparer: asked });
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const turn = await runtime.next();
    expect(asked.prepared).toHaveLength(6);
    expect(turn.input.turn.attempt).toBe(1);
    expect(await core.rows('select attempts, interruptions, deferrals, failure from deliveries')).toEqual([
      { attempts: 0, interruptions: 0, deferrals: 5, failure: 'no answer' },
    ]);
    turn.finish();
    await until(isIdle(core, conversation));
  });

  it('TRN-6 the provider says itself how long it is to be left alone', async () => {
    const core = open();
    const asked = new Asked();
    asked.say = () => {
      throw new ProviderFault('slow down', 'transient', 120_000);
    };
    await bench(core, { preparer: asked });
    const { conversation } = delivered(await core.admit(comment('T-1')));
    await until(async () => (await core.deliveries(conversation))[0]?.failure === 'slow down');
    const [head] = await core.deliveries(conversation);
    expect((head?.due_at ?? 0) - Date.now()).toBeGreaterThan(60_000);
  });

  it('FIF-5 what the provider refuses counts as an attempt; the conversation stalls at last, and somebody is called', async () => {
    const core = open();
    const asked = new Asked();
    asked.say = () => {
      throw new ProviderFault('no such board', 'permanent');
    };
    const { signals, runtime } = await bench(core, { preparer: asked });
    const alerts: string[] = [];
    signals.on('alert', (about) => alerts.push(about));
    const { conversation } = delivered(await core.admit(comment('T-1')));
    await until(async () => (await core.queue(conversation)).parked === 'stalled');
    await until(() => alerts.length > 0);
    expect([alerts, asked.prepared.length, runtime.begun.length]).toEqual([['preparation'], 3, 0]);
    expect(await core.deliveries(conversation)).toMatchObject([{ attempts: 3, failure: 'no such board', state: 'pending' }]);
  });

  it('FIF-9 a message that the provider cannot tell of does not hold back those before it', async () => {
    const core = open();
    const asked = new Asked();
    let isDown = true;
    asked.say = ({ sequence }) => {
      if (sequence === 2 && isDown) throw new ProviderFault('no answer', 'transient', 50);
      return PROCEED;
    };
    await core.admitAll(comment('T-1', 'one'), comment('T-1', 'two'), comment('T-1', 'three'));
    const { runtime } = await bench(core, { preparer: asked });
    const first = await runtime.next();
    expect(first.sequences).toEqual([1]);
    isDown = false;
    first.finish();
    const second = await runtime.next();
    expect(second.sequences).toEqual([2, 3]);
    second.finish();
    await until(isIdle(core, second.input.conversation.id));
  });

  it('EFF-6 trusted processing comes first and once: a repeated turn, and a repeated preparation, do not repeat it', async () => {
    const core = open();
    const asked = new Asked();
    asked.say = () => {
      if (asked.prepared.length === 1) throw new ProviderFault('no answer', 'transient');
      return PROCEED;
    };
    const { runtime } = await bench(core, { preparer: asked, trusted: asked });
    const { conversation } = delivered(await core.admit(comment('T-1')));
    (await runtime.next()).fail('broken');
    (await runtime.next()).finish();
    await until(isIdle(core, conversation));
    expect([asked.processed.length, asked.prepared.length]).toEqual([1, 3]);
    expect(asked.processed[0]?.identity).toMatchObject({ org: 'default', provider: 'fake', source: 'tracker' });
    expect(await core.rows('select sequence, party, verdict from verdicts')).toEqual([
      { sequence: 1, party: 'trusted', verdict: JSON.stringify(PROCEED) },
    ]);
  });

  it('EFF-6 what is processed away is not prepared, and makes no turn', async () => {
    const core = open();
    const asked = new Asked();
    asked.decide = () => ({ verdict: 'ignore', reason: 'owned_by_controller' });
    const { runtime } = await bench(core, { preparer: asked, trusted: asked });
    const { conversation } = delivered(await core.admit(comment('T-1')));
    await until(isIdle(core, conversation));
    expect([asked.prepared.length, runtime.begun.length]).toEqual([0, 0]);
    expect(await core.deliveries(conversation)).toMatchObject([{ outcome: 'ignored', reason: 'owned_by_controller' }]);
  });

  it('TRN-5 a verdict whose claim was taken away meanwhile changes nothing', async () => {
    const core = open();
    const asked = new Asked();
    const goOn = Promise.withResolvers<Verdict>();
    asked.say = () => (asked.prepared.length === 1 ? goOn.promise : PROCEED);
    const { runtime } = await bench(core, { preparer: asked });
    const { conversation, delivery } = delivered(await core.admit(comment('T-1')));
    await until(() => asked.prepared.length === 1);
    await core.operations.abandon('default', delivery, 'ada');
    goOn.resolve({ verdict: 'ignore', reason: 'late' });
    (await runtime.next()).finish();
    await until(isIdle(core, conversation));
    expect(await core.deliveries(conversation)).toMatchObject([{ outcome: 'done', reason: null }]);
  });

  it('TRN-6 a plugin that gives no sound verdict is refused, and its conversation alone', async () => {
    const core = open();
    const asked = new Asked();
    asked.say = ({ conversation: { key } }) => (key === 'T-1' ? ({ verdict: 'perhaps' } as unknown as Verdict) : PROCEED);
    const { runtime } = await bench(core, { preparer: asked });
    const bad = delivered(await core.admit(comment('T-1'))).conversation;
    const good = delivered(await core.admit(comment('T-2'))).conversation;
    (await runtime.next()).finish();
    await until(isIdle(core, good));
    await until(async () => (await core.queue(bad)).parked === 'stalled');
    expect((await core.deliveries(bad))[0]?.failure).toContain('unsound verdict');
  });

  it('IDN-4 WSP-1 a conversation that its provider places elsewhere is worked on there, and its route does not take it back', async () => {
    const core = open();
    const asked = new Asked();
    const [old, other] = [new StagedRuntime(), new StagedRuntime()];
    const retired: string[] = [];
    const leaving = Object.assign(old, { retire: async (id: string) => void retired.push(id) });
    asked.say = () => ({ verdict: 'proceed', workspace: 'ops' });
    const workspaces = [{ runtime: leaving }, { name: 'ops', runtime: other }];
    const { conversation } = delivered(await core.admit(comment('T-1')));
    await bench(core, { preparer: asked }, { workspaces });
    (await other.next()).finish();
    await until(isIdle(core, conversation));
    const place = 'select c.workspace as cold, q.workspace as hot, c.moved from conversations c join queues q on q.conversation = c.id';
    expect(await core.rows(place)).toEqual([{ cold: 'ops', hot: 'ops', moved: 1 }]);
    expect([old.begun.length, retired]).toEqual([0, [conversation]]);
    expect(await core.rows("select kind, noted_by, reason from notes where kind = 'moved'")).toEqual([
      { kind: 'moved', noted_by: 'preparer', reason: 'main → ops' },
    ]);
    const back = { org: 'default', route: 'triage', workspace: 'main' };
    expect(await core.database.transaction((tx) => changedPlacements(tx, [back]))).toEqual([]);
    expect(await core.database.transaction((tx) => placeConversations(tx, back))).toBe(0);
    expect(await core.outcomes(conversation)).toEqual(['prompt done']);
  });

  it('IDN-4 a conversation of an automation stays where the automation has it, and no board steers it', async () => {
    const core = open(route({ name: 'automation:one', scope: 'automation', lifecycle: 'ignore' }));
    const asked = new Asked();
    asked.say = () => ({ verdict: 'proceed', workspace: 'ops' });
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const { runtime } = await bench(core, { preparer: asked, trusted: asked });
    (await runtime.next()).finish();
    await until(isIdle(core, conversation));
    expect([asked.prepared.length, asked.processed.length]).toEqual([1, 0]);
    expect(await core.rows('select workspace from conversations')).toEqual([{ workspace: 'main' }]);
  });

  it('IDN-4 a workspace that is not configured is refused, and the conversation stays where it is', async () => {
    const core = open();
    const asked = new Asked();
    asked.say = () => ({ verdict: 'ignore', reason: 'moved', workspace: 'nowhere' });
    await bench(core, { preparer: asked });
    const { conversation } = delivered(await core.admit(comment('T-1')));
    await until(async () => (await core.queue(conversation)).parked === 'stalled');
    expect((await core.deliveries(conversation))[0]?.failure).toContain('the workspace nowhere, which is not in the configuration');
    expect(await core.rows('select workspace from conversations')).toEqual([{ workspace: 'main' }]);
  });

  it('TRM-3 what settling an end needs is taken from the look that found it, whatever its verdict', async () => {
    const core = open();
    const asked = new Asked();
    const settled: unknown[] = [];
    asked.say = () => ({ verdict: 'proceed', observation: { state: 'terminal', revision: revision(9) }, context: { done: 's-1' } });
    await bench(core, { preparer: asked, lifecycle: { settle: async ({ context }) => void settled.push(context) } });
    const { conversation } = delivered(await core.admit(comment('T-1')));
    await until(isIdle(core, conversation));
    expect(settled).toEqual([{ done: 's-1' }]);
  });

  it('REC-4 a connection that is not configured any more parks its messages', async () => {
    const core = open();
    const { runtime } = await bench(core, undefined, { isConfigured: (source) => source !== 'gone' }, [
      route(),
      route({ name: 'g', source: 'gone' }),
    ]);
    const other = core.with(route(), route({ name: 'g', source: 'gone' }));
    const { conversation } = delivered(await other.admit({ ...comment('G-1'), source: 'gone' }));
    await until(async () => (await core.queue(conversation)).parked === 'unconfigured');
    expect(runtime.begun).toHaveLength(0);
    expect((await core.deliveries(conversation))[0]?.failure).toBe('connection gone is not in the configuration');
  });
});

eachCore('two changes of one revision', (open) => {
  const benches: Bench[] = [];
  const toBeRead = (core: Core) => core.asking(route());

  const bench = async (core: Core, preparer: Preparer, settle = async () => undefined) => {
    const made = new Bench(core, [route()], { provider: { preparer, lifecycle: { settle } }, retry: AT_ONCE });
    benches.push(made);
    await made.start();
    return made;
  };

  afterEach(async () => {
    await Promise.all(benches.splice(0).map((each) => each.stop()));
  });

  const isIdle = (core: Core, id: string) => async () => (await core.queue(id)).open === 0;
  const reopening = event(prompt('T-1', 'reopened it', { observation: opened(10) }));

  it.each([
    ['open', ['lifecycle lifecycle', 'prompt done']],
    ['terminal', ['lifecycle lifecycle', 'prompt ignored']],
  ] as const)('TRM-1 an end stays until its provider was asked, who says that it is %s', async (state, outcomes) => {
    const core = toBeRead(open());
    const { conversation } = delivered(await core.admit(closing('T-1', 10)));
    const again = { ...reopening, deliveryId: `tie-${state}` };
    expect(await core.admit(again)).toMatchObject({ disposition: 'routed', deliveries: [{ conversation, sequence: 2 }] });
    expect(await core.conversation(conversation)).toMatchObject({ state: 'terminal' });
    const asked = new Asked();
    asked.say = () => ({ verdict: 'proceed', observation: { state, revision: revision(10) } });
    const { runtime } = await bench(core, asked);
    if (state === 'open') (await runtime.next()).finish();
    await until(isIdle(core, conversation));
    expect(await core.conversation(conversation)).toMatchObject({ state });
    // The end held, and was told of, before the reopening was known to be one.
    expect(await core.outcomes(conversation)).toEqual(outcomes);
  });

  it('TRM-1 an end of the revision of a reopening ends nothing before its provider was asked, and then is settled', async () => {
    const core = toBeRead(open());
    const { conversation } = delivered(await core.admit({ ...reopening, deliveryId: 'open-1' }));
    expect(await core.admit(closing('T-1', 10))).toMatchObject({ disposition: 'lifecycle', reason: 'tied' });
    expect(await core.conversation(conversation)).toMatchObject({ state: 'open' });
    const asked = new Asked();
    asked.say = ({ parsed }) =>
      parsed.kind === 'lifecycle' ? { verdict: 'proceed', observation: { state: 'terminal', revision: revision(10) } } : PROCEED;
    let settled = 0;
    const { runtime } = await bench(core, asked, async () => void settled++);
    (await runtime.next()).finish();
    await until(isIdle(core, conversation));
    expect(await core.outcomes(conversation)).toEqual(['prompt done', 'lifecycle lifecycle']);
    expect(await core.conversation(conversation)).toMatchObject({ state: 'terminal' });
    expect(settled).toBe(1);
  });

  it('TRM-1 without anybody to ask, the later arrival wins', async () => {
    const core = open(route());
    const { conversation } = delivered(await core.admit(closing('T-1', 10)));
    await core.admit({ ...reopening, deliveryId: 'tie-plain' });
    expect(await core.conversation(conversation)).toMatchObject({ state: 'open' });
    expect(await core.admit(event(lifecycle('T-1', opened(10))))).toMatchObject({ reason: 'repeated' });
  });
});
