import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import pg from 'pg';
import { countTables } from '../../../src/core/maintenance/statistics.js';
import type { Tx } from '../../../src/database/tx.js';
import { eachDatabase, migrated } from '../../databases.js';

const BY_INDEX = 'set enable_seqscan = off; set enable_bitmapscan = off; set plan_cache_mode = force_generic_plan';
const BY_SUBJECT =
  'select id from conversations where (org, namespace, key) in (select * from unnest($1::text[], $2::text[], $3::text[]) as g(a, b, c))';

const insertConversations = (tx: Tx) =>
  tx.insert(
    {
      table: 'conversations',
      columns: {
        ...{ id: 'uuid', org: 'text', namespace: 'text', key: 'text', scope: 'text', scope_name: 'text', workspace: 'text' },
        ...{ folder: 'text', lifecycle: 'text', state: 'text', created_at: 'bigint', updated_at: 'bigint' },
      },
    },
    Array.from({ length: 1000 }, (_, n) => {
      const id = randomUUID();
      return [id, 'o', 'github:github.com:1', `1#${n}`, 'subject', '', 'w', id, 'follow', 'open', n, n];
    }),
  );

/** A connection that has kept its plan since the table was empty. */
async function planned(url: string): Promise<{ plan: () => Promise<string>; end: () => Promise<void> }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`${BY_INDEX}; prepare s as ${BY_SUBJECT}`);
  const execute = "execute s (array['o'], array['n'], array['k'])";
  for (let time = 0; time < 6; time++) await client.query(execute);
  const plan = async () => {
    const { rows } = await client.query(`explain ${execute}`);
    return (rows as { 'QUERY PLAN': string }[]).map((row) => row['QUERY PLAN']).join('\n');
  };
  return { plan, end: () => client.end() };
}

eachDatabase('what the database knows of its tables', (make) => {
  it('counts a table that has grown, once, and plans that were made while it was empty are made anew', async () => {
    const { database, test, close } = await migrated(make);
    const count = () => database.transaction(countTables);
    const early = test.name === 'postgresql' ? await planned(test.url) : null;
    expect(await count()).toBe(0);
    await database.transaction(insertConversations);
    const before = await early?.plan();
    expect(await count()).toBe(early === null ? 0 : 1);
    expect(await count()).toBe(0);
    const after = await early?.plan();
    if (early !== null) {
      expect(before).not.toContain('using conversations_subject');
      expect(after).toContain('using conversations_subject');
    }
    await early?.end();
    await close();
  });
});
