import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Operations } from '../../src/core/operations.js';
import { Signals } from '../../src/core/signals.js';
import type { Database } from '../../src/database/database.js';
import { migrateDown, migrateUp, schemaStatus } from '../../src/database/migrate.js';
import type { AgentRuntime, TurnEvent } from '../../src/plugin/index.js';
import { route } from '../core/builders.js';
import { Core } from '../core/core.js';
import { brokenRules } from '../core/invariants.js';
import { eachDatabase, type TestDatabase } from '../databases.js';
import { Bench, until } from '../worker/harness.js';
import { FIRST, insertOldRows, migrateToFirst, oldRows, sayOld } from './upgrade.js';

/** Messages that wait to be worked on when the new version starts, by their subject; those of one turn together. */
const TO_DO = {
  RUNNING: [[1, 2], [3]],
  CLAIMED: [[1]],
  PENDING: [[1, 2]],
  'DONE-AND-MORE': [[2]],
  'a run of its own': [[1]],
};

eachDatabase('an upgrade from the first schema', (make) => {
  let test: TestDatabase;
  let database: Database;

  beforeEach(async () => {
    test = await make();
    database = await test.open();
    await migrateToFirst(database);
  });

  afterEach(async () => {
    await database.close();
    await test.drop();
  });

  it('REC-4 what the first version left in every state, turns in flight included, is worked on exactly once', async () => {
    await insertOldRows(database);
    await migrateUp(database);
    const worked: { key: string; sequences: number[]; text: string | undefined }[] = [];
    const runtime: AgentRuntime = {
      async *startTurn({ conversation, turn }): AsyncIterable<TurnEvent> {
        const { key } = conversation.subject;
        worked.push({
          key: key.endsWith('-triage') ? 'a run of its own' : key,
          sequences: turn.messages.map(({ sequence }) => sequence),
          text: turn.messages[0]?.text,
        });
        yield { type: 'result', text: 'ok' };
      },
    };
    const core = new Core(database, test, 0, [route()]);
    // The first version's process is gone: its lease has run out meanwhile.
    await core.change('update replicas set lease_until = 1');
    const bench = new Bench(core, [route()], { workspaces: [{ runtime }] });
    await bench.start();
    const waiting = () =>
      core.rows<{ conversation: string }>('select conversation from queues where ready_at < 9000000000000 or owner is not null');
    await until(async () => (await waiting()).length === 0);
    await bench.stop();

    const byKey = Object.groupBy(worked, ({ key }) => key);
    expect(Object.fromEntries(Object.entries(byKey).map(([key, turns]) => [key, turns?.map(({ sequences }) => sequences)]))).toEqual(TO_DO);
    expect(byKey.RUNNING?.[0]?.text).toMatch(/^\(An earlier try of this turn was interrupted/);
    expect(await core.rows("select kind, outcome from deliveries where kind = 'lifecycle' and outcome is null")).toEqual([]);
    expect(await brokenRules(database)).toEqual([]);
    await standsAsBefore(core);
  });

  it('REC-4 a retry of an event that the first version took is still a duplicate', async () => {
    await insertOldRows(database);
    await migrateUp(database);
    const before = oldRows().receipts?.length;
    const [receipt] = await database.transaction((tx) =>
      tx.all<{ org: string; provider: string; source: string; delivery_id: string; event_key: string; parsed: string; payload: Buffer }>(
        'select * from receipts order by id limit 1',
      ),
    );
    if (!receipt) throw new Error('the fixture has receipts');
    const core = new Core(database, test, 0, [route()]);
    const { org, provider, source, delivery_id: deliveryId, event_key: eventKey, payload: body } = receipt;
    const parsed = JSON.parse(receipt.parsed);
    const answer = await core.admit({
      ...{ org, provider, source, deliveryId, eventKey, body, parsed, payload: JSON.parse(body.toString()) },
      ...{ uniqueContent: null, secretIndex: 0 },
    });
    expect(answer).toMatchObject({ duplicate: true, disposition: 'routed' });
    expect(await core.count('receipts')).toBe(before);
  });

  it('REC-4 a process of the first version goes on working on the new schema, and gets the answers that it got before', async () => {
    await migrateUp(database);
    expect(await sayOld(database)).toEqual([]);
    expect(await brokenRules(database)).toEqual([]);
  });

  it('REC-4 the schema is brought up while a process of the first version works', async () => {
    // A SQLite file has one server, which is stopped for the upgrade.
    if (test.name === 'sqlite') return;
    const other = await test.open();
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    let transactions = 0;
    const working = sayOld(database, () => {
      transactions += 1;
      if (transactions === 5) resolve();
    });
    await begun;
    await migrateUp(other).finally(() => other.close());
    expect(await working).toEqual([]);
    expect((await schemaStatus(database)).pending).toEqual([]);
  });

  it('REC-4 the way down again loses no row of the first schema', async () => {
    await insertOldRows(database);
    await migrateUp(database);
    for (let reverted = ''; reverted !== FIRST; ) {
      const { applied } = await schemaStatus(database);
      if (applied.at(-1) === FIRST) break;
      reverted = (await migrateDown(database)) ?? FIRST;
    }
    for (const [table, rows] of Object.entries(oldRows())) {
      const [row] = await database.transaction((tx) => tx.all<{ count: number }>(`select count(*) as count from ${table}`));
      expect([table, row?.count]).toEqual([table, rows.length]);
    }
    expect((await migrateUp(database)).length).toBeGreaterThan(0);
    expect(await brokenRules(database)).toEqual([]);
  });

  /** What waited for a time, a person or a message goes on waiting, and can be gone on with. */
  async function standsAsBefore(core: Core): Promise<void> {
    const open = await core.rows<{ key: string; parked: string | null }>(
      'select c.key, q.parked from queues q join conversations c on c.id = q.conversation where q.open > 0 order by c.key',
    );
    expect(open).toEqual([
      { key: 'QUIET', parked: null },
      { key: 'RETRYING', parked: null },
      { key: 'STALLED', parked: 'stalled' },
      { key: 'UNCONFIGURED', parked: 'unconfigured' },
    ]);
    const [stalled] = await core.rows<{ id: string }>("select id from conversations where key = 'STALLED'");
    await new Operations(database, new Signals()).retry('default', `${stalled?.id}.1`, 'ada');
    expect((await core.queue(stalled?.id ?? '')).parked).toBeNull();
  }
});
