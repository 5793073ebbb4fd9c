import { expect, it } from '@jest/globals';
import { emptyDatabase } from '../databases.js';

const ROUNDS = 200;

it('B83 two writers on one SQLite file read, then write, and none of their transactions is refused or lost', async () => {
  const test = await emptyDatabase('sqlite');
  const [one, two] = [await test.open(), await test.open()];
  try {
    await one.transaction((tx) => tx.run('create table counters (name text primary key, value integer not null)'));
    await one.transaction((tx) => tx.run("insert into counters values ('both', 0)"));
    const count = (database: typeof one) =>
      database.transaction(async (tx) => {
        const [row] = await tx.all<{ value: number }>("select value from counters where name = 'both'");
        // Time for the other one to come in between, as it could where reading took no lock.
        await new Promise(setImmediate);
        await tx.run("update counters set value = ? where name = 'both'", [(row?.value ?? 0) + 1]);
      });
    await Promise.all(Array.from({ length: ROUNDS }, () => [count(one), count(two)]).flat());
    expect(await two.transaction((tx) => tx.all('select value from counters'))).toEqual([{ value: 2 * ROUNDS }]);
  } finally {
    await one.close();
    await two.close();
    await test.drop();
  }
}, 60_000);
