import { afterEach, expect, it } from '@jest/globals';
import type { Database } from '../../../src/database/database.js';
import { ConfigFault } from '../../../src/plugin/index.js';
import { route } from '../../core/builders.js';
import { type Core, eachCore } from '../../core/core.js';
import { until } from '../../worker/harness.js';
import { pollSpec, SourceBench } from './bench.js';
import { FakeHistory, message } from './fakes.js';

eachCore('pollers', (open) => {
  const benches: SourceBench[] = [];

  const bench = (core: Core, provider: FakeHistory, change: ConstructorParameters<typeof SourceBench>[2] = {}) => {
    const made = new SourceBench(core, [pollSpec(provider)], change);
    benches.push(made);
    made.supervisor.start();
    return made;
  };

  const history = (count: number, pageSize?: number) => {
    const provider = new FakeHistory(pageSize);
    for (let i = 0; i < count; i++) provider.messages.push({ at: i, event: message(i) });
    return provider;
  };

  const ids = (count: number) => Array.from({ length: count }, (_, i) => `m-${i}`);
  const cursor = async (core: Core) => (await core.rows<{ value: string }>('select value from cursors'))[0]?.value;

  afterEach(async () => {
    await Promise.all(benches.splice(0).map(({ supervisor }) => supervisor.stop()));
  });

  it('ING-8 pages are stored with the cursor after them, in order, and what comes later is asked for', async () => {
    const core = open(route());
    const provider = history(7);
    const made = bench(core, provider);
    await until(async () => (await cursor(core)) === '7');
    provider.messages.push({ at: 7, event: message(7) });
    await until(async () => (await cursor(core)) === '8');
    expect(await made.delivered()).toEqual(ids(8));
    expect(provider.asked.slice(0, 3)).toEqual([null, '3', '6']);
    await until(async () => (await made.state()) === 'connected');
  });

  it('ING-8 B50 a crash anywhere in the commit of a page replays it without a second delivery', async () => {
    const core = open(route());
    const provider = history(9);
    const crashing = crashingDatabase(core.database);
    const admissions = Object.create(core.admissions) as Core['admissions'];
    const another = new (core.admissions.constructor as new (...args: unknown[]) => Core['admissions'])(crashing, [route()], core.signals);
    admissions.admitTogether = another.admitTogether.bind(another);
    const made = bench(core, provider, { admission: admissions });
    await until(async () => (await cursor(core)) === '9');
    expect(crashing.crashes()).toBeGreaterThan(5);
    expect(await made.delivered()).toEqual(ids(9));
  });

  it('ING-8 one malformed event refuses the whole page, keeps the cursor, and is visible', async () => {
    const core = open(route());
    const provider = history(6);
    provider.messages[4] = { at: 4, event: { ...message(4), deliveryId: '\0' } };
    const made = bench(core, provider);
    const why = 'The delivery id holds NUL or half a character.';
    await until(async () => (await made.states()).some(({ state, detail }) => state === 'retrying' && detail === why));
    expect([await cursor(core), await made.delivered()]).toEqual(['3', ids(3)]);
    provider.messages[4] = { at: 4, event: message(4) };
    await until(async () => (await cursor(core)) === '6');
    expect(await made.delivered()).toEqual(ids(6));
  });

  it('ING-8 an old owner commits neither events nor cursor', async () => {
    const core = open(route());
    const provider = history(2);
    const made = bench(core, provider);
    await until(async () => (await cursor(core)) === '2');
    made.owner = null;
    await core.change("update leases set owner = owner + 1, token = token + 1 where name = 'poll:default/tracker'");
    const asked = provider.asked.length;
    provider.messages.push({ at: 2, event: message(2) });
    await until(() => provider.asked.length > asked || made.supervisor.standing('poll:default/tracker') === null);
    await made.supervisor.stop();
    expect([await cursor(core), await made.delivered()]).toEqual(['2', ids(2)]);
  });

  it('ING-6 what a poller says of its pages is shown as long as it says so', async () => {
    const core = open(route());
    const provider = history(1);
    const made = bench(core, provider);
    const detail = async () => (await made.states())[0]?.detail;
    await until(async () => (await made.state()) === 'connected');
    provider.notice = 'the room support waits for a key';
    await until(async () => (await detail()) === provider.notice);
    expect(await made.state()).toBe('connected');
    provider.notice = undefined;
    await until(async () => (await detail()) === null);
  });

  it('ING-6 a poller that fails is asked again; a fault of its configuration stops it', async () => {
    const core = open(route());
    const provider = history(1);
    provider.failure = new Error('503 from the provider');
    const made = bench(core, provider);
    await until(() => provider.asked.length > 2);
    provider.failure = null;
    await until(async () => (await made.state()) === 'connected');
    provider.failure = new ConfigFault('the token was revoked');
    await until(async () => (await made.state()) === 'misconfigured');
    const asked = provider.asked.length;
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(provider.asked).toHaveLength(asked);
  });
});

/** Fails each transaction once after each number of its statements, as a process that is killed there. */
function crashingDatabase(database: Database): Database & { crashes(): number } {
  let after = 0;
  let crashes = 0;
  const crashing = Object.create(database) as Database & { crashes(): number };
  crashing.crashes = () => crashes;
  crashing.transaction = (work) => {
    after += 1;
    let left = after;
    const tick = () => {
      if (--left > 0) return;
      crashes += 1;
      throw new Error('killed');
    };
    return database.transaction((tx) =>
      work({
        dialect: tx.dialect,
        all: async (sql, values) => {
          tick();
          return tx.all(sql, values);
        },
        run: async (sql, values) => {
          tick();
          return tx.run(sql, values);
        },
        insert: async (insertion, rows) => {
          tick();
          return tx.insert(insertion, rows);
        },
      }),
    );
  };
  return crashing;
}
