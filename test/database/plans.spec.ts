import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { fill } from '../../bench/databases/fill.mjs';
import { NO_RULES } from '../../src/core/limits/rules.js';
import { enlist } from '../../src/core/replicas/replicas.js';
import { insertRuns, type NewRun } from '../../src/core/runs/runs.js';
import type { Database } from '../../src/database/database.js';
import type { Tx, Value } from '../../src/database/tx.js';
import { claimWork } from '../../src/worker/claim-work.js';
import { Automated, trigger } from '../core/admission/automated.js';
import { comment, event, opened, prompt, route } from '../core/builders.js';
import { ALL_ROOM, Core, done, replica, SAID } from '../core/core.js';
import { eachDatabase, migrated, type TestDatabase } from '../databases.js';

const SCALE = { completed: 40_000, conversations: 4000 };
/** What was asked of the database, each statement once, in the order of its first time. */
class Recorder {
  readonly asked = new Map<string, readonly Value[]>();

  over(database: Database): Database {
    const recording = Object.create(database) as Database;
    recording.transaction = (work, plans) => database.transaction((tx) => work(this.recorded(tx)), plans);
    return recording;
  }

  private recorded(tx: Tx): Tx {
    const note = (sql: string, values: readonly Value[] = []) => this.asked.set(sql, values);
    return {
      ...tx,
      all: async (sql, values) => {
        note(sql, values);
        return tx.all(sql, values);
      },
      run: async (sql, values) => {
        note(sql, values);
        return tx.run(sql, values);
      },
    };
  }
}

async function explain({ name, url }: TestDatabase, database: Database, asked: ReadonlyMap<string, readonly Value[]>): Promise<string[]> {
  const lines: string[] = [];
  const client = name === 'postgresql' ? new pg.Client({ connectionString: url }) : null;
  await client?.connect();
  // As in a transaction whose plans go by index.
  await client?.query('set enable_seqscan = off; set enable_bitmapscan = off');
  for (const [sql, values] of asked) {
    lines.push(`-- ${sql.replace(/\s+/g, ' ').trim()}`);
    lines.push(...(client ? await postgresPlan(client, sql) : await sqlitePlan(database, sql, values)), '');
  }
  await client?.end();
  return lines;
}

/** The plan that is made once for any values, as that of a prepared statement is. */
async function postgresPlan(client: InstanceType<typeof pg.Client>, sql: string): Promise<string[]> {
  let count = 0;
  const { rows } = await client.query(`explain (generic_plan, costs off) ${sql.replaceAll('?', () => `$${++count}`)}`);
  return (rows as { 'QUERY PLAN': string }[]).map((row) => row['QUERY PLAN']);
}

async function sqlitePlan(database: Database, sql: string, values: readonly Value[]): Promise<string[]> {
  const rows = await database.transaction((tx) =>
    tx.all<{ id: number; parent: number; detail: string }>(`explain query plan ${sql}`, values),
  );
  const depth = new Map([[0, 0]]);
  return rows.map(({ id, parent, detail }) => {
    const indent = depth.get(parent) ?? 0;
    depth.set(id, indent + 1);
    return `${'  '.repeat(indent)}${detail}`;
  });
}

eachDatabase('plans of the hot statements', (make) => {
  let database: Database;
  let test: TestDatabase;
  let close: () => Promise<void>;
  let plans: string[];

  beforeAll(async () => {
    ({ database, test, close } = await migrated(make));
    const owner = await database.transaction((tx) => enlist(tx, replica('one'), 600_000));
    const plain = new Core(database, test, owner, [route()]);
    await plain.admit(event({ ...prompt('T-1', 'done'), messageKey: 'first' }, { uniqueContent: 'first' }));
    await plain.endAll([{ ...done(await plain.claimOne()), unstored: [{ number: 1, at: 1, kind: 'text', body: '{}' }] }]);
    await database.transaction(fillOthers);
    await fill({ kind: test.name === 'sqlite' ? 'sqlite' : 'postgres', url: test.url }, SCALE);
    const recorder = new Recorder();
    const automated = await Automated.over(plain);
    const triggers = [trigger({ destination: 'continue_conversation' })];
    await automated.make({ triggers, keep_alive: true, concurrency: 'skip', runtime: 'box' });
    await automated.heard();
    await workThrough(new Core(recorder.over(database), test, owner, [route()], false, false, automated.registry));
    automated.stop();
    plans = await explain(test, database, recorder.asked);
  }, 240_000);

  afterAll(() => close());

  it('FIF-10 are the reviewed ones (else: UPDATE_GOLDEN=1 and this test, and a look at what changed)', () => {
    const golden = new URL(`./plans.${test.name}.txt`, import.meta.url);
    const text = `${plans.join('\n').trim()}\n`;
    if (process.env.UPDATE_GOLDEN) writeFileSync(golden, text);
    expect(text).toBe(readFileSync(golden, 'utf8'));
  });

  it('FIF-10 none reads all of a table', () => {
    const isWhole = (line: string) => /(Seq Scan|SCAN (?!CONSTANT|json_each))/.test(line);
    expect(plans.filter((line) => !line.startsWith('--') && isWhole(line))).toEqual([]);
  });
});

/** Writes that were confirmed, jobs that are done, and runs and sandboxes that live or are no more. */
async function fillOthers(tx: Tx): Promise<void> {
  const each = Array.from({ length: SCALE.conversations }, (_, i) => ({
    id: randomUUID(),
    hash: createHash('md5').update(String(i)).digest(),
    i,
  }));
  const texts = { org: 'text', provider: 'text', source: 'text', tool: 'text', account: 'text', kind: 'text', action: 'text' } as const;
  const bytes = { scope: 'bytea', request: 'bytea', evidence: 'bytea' } as const;
  const times = { created_at: 'bigint', executing_at: 'bigint', resolved_at: 'bigint' } as const;
  await tx.insert(
    {
      table: 'effects',
      columns: { id: 'uuid', conversation: 'uuid', owner: 'integer', state: 'text', evidence_ids: 'text', ...texts, ...bytes, ...times },
    },
    each.map(({ id, hash, i }) => [id, id, 1, 'confirmed', '{}', ...Array<string>(7).fill('x'), hash, hash, hash, i, i, i]),
  );
  await tx.insert(
    {
      table: 'jobs',
      columns: {
        conversation: 'uuid',
        ending: 'integer',
        kind: 'text',
        step: 'integer',
        state: 'text',
        created_at: 'bigint',
        ended_at: 'bigint',
      },
    },
    each.map(({ id, i }) => [id, 1, 'x', 1, 'done', i, i]),
  );
  const runs = each.map(({ id, i }): NewRun => {
    const names = { id, org: 'default', automation: 'one', conversation: id, subject: `tracker/S-${i}`, detail: null, inputs: null };
    return {
      ...names,
      version: 1,
      generation: 1,
      sequence: 1,
      noSubject: null,
      cause: 'event',
      receipt: i,
      slot: null,
      state: i % 2 === 0 ? 'queued' : 'skipped',
      error: 'x',
    };
  });
  await insertRuns(tx, runs, 1);
  await tx.insert(
    {
      table: 'sandboxes',
      columns: {
        ...{ id: 'text', org: 'text', kind: 'text', runtime: 'text', run: 'text', conversation: 'uuid', state: 'text' },
        ...{ created_at: 'bigint', updated_at: 'bigint' },
      },
    },
    each.map(({ id, i }) => [id, 'default', 'local', 'box', id, id, i % 2 === 0 ? 'ready' : 'gone', i, i]),
  );
}

/** Accepts, repeats, claims and ends, as a server does all day. */
async function workThrough(core: Core): Promise<void> {
  const evidence = { account: 'a', kind: 'comment', action: 'created', ids: { comment: '1' }, marker: 'm-1' };
  const carrying = event({ ...prompt('T-2', 'hello'), messageKey: 'second', evidence, observation: opened(1) });
  const conversation = (await core.admit(carrying)).deliveries[0]?.conversation ?? '';
  await Promise.all([core.admit(carrying), core.admit(comment('T-3')), core.admit({ ...carrying, deliveryId: 'another' })]);
  const request = { owner: core.owner, limit: 10, room: ALL_ROOM, coalesce: () => 20, widest: 20, rules: () => NO_RULES };
  const claimed = await core.database.transaction((tx) => claimWork(tx, request));
  const works = claimed?.work ?? [];
  expect(works.map(({ claim }) => claim.conversation)).toContain(conversation);
  await core.endAll(works.map(({ claim }) => ({ ...done(claim), turn: { ...SAID, state: 'done', costUsd: 1 } })));
}
