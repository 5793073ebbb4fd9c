import { afterEach, expect, it } from '@jest/globals';
import type { Database } from '../../src/database/database.js';
import { eachDatabase, type TestDatabase } from '../databases.js';
import { comment, ServerProcess, until } from './server-process.js';

const DELIVERIES = 3000;
const SUBJECTS = 300;
const AT_ONCE = 100;
const EACH = DELIVERIES / SUBJECTS;

eachDatabase('a burst', (make) => {
  let server: ServerProcess;
  let database: TestDatabase;

  afterEach(async () => {
    await server.remove();
    await database.drop();
  });

  it('ACC-1 FIF-9 TRN-3 of 3,000 deliveries about 300 subjects is handled once each, in order', async () => {
    database = await make();
    server = new ServerProcess({
      database: { url: database.url },
      runtimes: { echo: { kind: 'echo' } },
      workspaces: { main: { runtime: 'echo' } },
      routes: { comments: { connection: 'gh', workspace: 'main' } },
    });
    await server.start();
    const store = await database.open();
    const rows = <Row>(sql: string) => store.transaction((tx) => tx.all<Row>(sql));
    try {
      const refused = await sendAll(server.url);
      expect(refused).toEqual([]);
      await until(async () => (await look(store, () => rows('select 1 from queues where open > 0 limit 1')))?.length === 0);
      expect(await rows('select state, outcome, count(*) as count from deliveries group by state, outcome')).toEqual([
        { state: 'completed', outcome: 'done', count: DELIVERIES },
      ]);
      const turns = await rows<{ conversation: string; from_sequence: number; to_sequence: number }>(
        "select conversation, from_sequence, to_sequence from turns where state = 'done' order by conversation, token",
      );
      for (const [conversation, own] of Map.groupBy(turns, (turn) => turn.conversation)) {
        const handled = own.flatMap((turn) => range(turn.from_sequence, turn.to_sequence));
        expect([conversation, handled]).toEqual([conversation, range(1, EACH)]);
      }
      expect(new Set(turns.map(({ conversation }) => conversation)).size).toBe(SUBJECTS);
    } finally {
      await store.close();
    }
  }, 300_000);
});

/** Null: the server, which is hard at work, had the file to itself for longer than a reader beside it waits. */
function look<T>(store: Database, read: () => Promise<T>): Promise<T | null> {
  return read().catch((error: unknown) => {
    if (store.dialect.fault(error) === 'other') throw error;
    return null;
  });
}

/** The deliveries that were not answered as new ones; a hundred are on their way at any time. */
async function sendAll(url: string): Promise<string[]> {
  const refused: string[] = [];
  let next = 0;
  const send = async (): Promise<void> => {
    for (let i = next++; i < DELIVERIES; i = next++) {
      const { status, body } = await comment(url, 1 + (i % SUBJECTS), Math.floor(i / SUBJECTS));
      if (status !== 200 || body.duplicate) refused.push(`${i}: ${status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  return refused;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
