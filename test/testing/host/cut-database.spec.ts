import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Database } from '../../../src/database/database.js';
import { openInMemory } from '../../../src/database/open-in-memory.js';
import { clock } from '../../../src/database/tx.js';
import { CutDatabase } from '../../../src/testing/host/cut-database.js';

let now: number;
let database: Database;

beforeEach(async () => {
  now = 1_767_225_600_000;
  database = await openInMemory(() => now);
  await database.transaction((tx) => tx.run('create table notes (text text not null)'));
});
afterEach(() => database.close());

const notes = () => database.transaction((tx) => tx.all<{ text: string }>('select text from notes'));
const note = (into: Database, text: string) => into.transaction((tx) => tx.run('insert into notes values (?)', [text]));

it('a database in memory has the clock that it is given', async () => {
  expect(await database.transaction(clock)).toBe(now);
  now += 3_600_000;
  expect(await database.transaction(clock)).toBe(now);
});

it('a life that is cut off stores nothing more, not even what it was about to commit, and leaves the store to the next', async () => {
  const [life, next] = [new CutDatabase(database), new CutDatabase(database)];
  await note(life, 'before');
  const midst = life.transaction(async (tx) => {
    await tx.run('insert into notes values (?)', ['in its midst']);
    life.cut();
  });
  await expect(midst).rejects.toThrow('this server has crashed');
  await expect(note(life, 'after')).rejects.toThrow('this server has crashed');
  await life.close();
  await note(next, 'of the next life');
  expect(await notes()).toEqual([{ text: 'before' }, { text: 'of the next life' }]);
});
