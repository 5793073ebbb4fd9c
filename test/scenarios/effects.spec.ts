import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { expectSound } from '../core/invariants.js';
import { eachDatabase, type TestDatabase } from '../databases.js';
import type { Manner } from '../fakes/board/board-server.js';
import { EffectHost } from './effect-host.js';
import { until } from './server-process.js';

interface Row {
  readonly conversation: string;
  readonly sequence: number;
  readonly outcome: string | null;
  readonly text: string;
  readonly completed_at: number | null;
}

eachDatabase('writes that come back as events', (make) => {
  let test: TestDatabase;
  let host: EffectHost;

  beforeEach(async () => {
    test = await make.migrated();
    host = await EffectHost.start(test);
  });

  afterEach(async () => {
    await host.close();
    await test.drop();
  });

  const quiet = () =>
    until(async () => {
      await host.board.settled();
      const [row] = await host.rows<{ open: number }>("select count(*) as open from deliveries where state <> 'completed'");
      return row?.open === 0;
    });

  const deliveries = async (): Promise<Row[]> => {
    const rows = await host.rows<Omit<Row, 'text'> & { parsed: string }>(
      `select d.conversation, d.sequence, d.outcome, d.completed_at, r.parsed from deliveries d join receipts r on r.id = d.receipt
        order by d.conversation, d.sequence`,
    );
    return rows.map(({ parsed, ...row }) => ({ ...row, text: (JSON.parse(parsed) as { text: string }).text }));
  };

  const states = async () =>
    (await host.rows<{ state: string }>('select state from effects order by created_at')).map(({ state }) => state);

  const manners: readonly [string, Manner][] = [
    ['answers before its callbacks', { events: 'after', answer: 'ok' }],
    ['answers after its callbacks', { events: 'before', answer: 'ok' }],
    ['answers between its callbacks', { events: 'between', answer: 'ok' }],
    ['answers, and sends no callback', { events: 'never', answer: 'ok' }],
    ['refuses', { events: 'never', answer: 'refuse' }],
  ];

  it.each(manners)('EFF-1 EFF-2 a provider that %s: nobody is woken by ourselves, and a person is heard', async (_, manner) => {
    host.board.manner = () => manner;
    const own = await Promise.all([host.write('A', 'ours'), host.write('A', 'ours too', 'marked_comment')]);
    const refused = manner.answer === 'refuse';
    expect(own.map(({ is }) => is)).toEqual(refused ? ['refused', 'refused'] : ['confirmed', 'confirmed']);
    await host.board.say('A', 'a person');
    await quiet();
    expect(await states()).toEqual(refused ? ['failed', 'failed'] : ['confirmed', 'confirmed']);
    const done = (await deliveries()).filter(({ outcome }) => outcome !== 'suppressed');
    expect(done.map(({ text, outcome }) => `${outcome} ${text}`)).toEqual(['done a person', 'done a person']);
    await expectSound(host.database);
  });

  it.each(['drop', 'fail'] as const)(
    'EFF-4 EFF-5 a write whose answer is lost (%s) is read back, and its callbacks wait until then',
    async (answer) => {
      host.board.manner = () => ({ events: 'after', answer });
      expect(await host.write('A', 'ours')).toMatchObject({ is: 'unknown' });
      await host.board.settled();
      await host.board.say('A', 'a person');
      expect(new Set((await deliveries()).map(({ outcome }) => outcome))).toEqual(new Set([null]));
      expect(await states()).toEqual(['outcome_unknown']);
      await host.database.transaction((tx) => tx.run('update effects set next_read_at = 1 where next_read_at is not null'));
      await quiet();
      expect(await states()).toEqual(['confirmed']);
      expect((await deliveries()).map(({ text, outcome }) => `${outcome} ${text}`).toSorted()).toEqual([
        'done a person',
        'done a person',
        'suppressed ours',
        'suppressed ours',
      ]);
    },
    60_000,
  );

  it('EFF-7 the callback of a marked write whose answer is lost proves it by itself', async () => {
    host.board.manner = () => ({ events: 'after', answer: 'drop' });
    await host.write('A', 'ours', 'marked_comment');
    await host.board.settled();
    expect(await states()).toEqual(['confirmed']);
    expect(await deliveries()).toEqual([]);
  });

  it('EFF-2 FIF-1 echo storm: 500 own writes on two routes make no turn, and every person between them is heard once, in order', async () => {
    const turns = ['before', 'between', 'after'] as const;
    host.board.manner = (text) => ({ events: turns[Number(text.split(' ').at(-1)) % 3] ?? 'after', answer: 'ok' });
    const issues = Array.from({ length: 20 }, (_, i) => `issue-${i}`);
    await Promise.all(
      issues.map(async (issue) => {
        for (let i = 0; i < 25; i++) {
          const own = host.write(issue, `ours ${i}`, i % 5 === 0 ? 'marked_comment' : 'comment');
          if (i % 2 === 0) await host.board.say(issue, `person ${i}`);
          // On a slow machine the provider's answer may come too late to be waited for; what is true of it is known in the end.
          expect(['confirmed', 'unknown']).toContain((await own).is);
        }
      }),
    );
    await quiet();
    const rows = await deliveries();
    const isOwn = ({ text }: Row) => text.startsWith('ours');
    expect([...new Set(rows.filter(isOwn).map(({ outcome }) => outcome))]).toEqual(['suppressed']);
    const heard = Map.groupBy(
      rows.filter((row) => !isOwn(row)),
      ({ conversation }) => conversation,
    );
    expect(heard.size).toBe(2 * issues.length);
    const everybody = Array.from({ length: 13 }, (_, i) => `done person ${2 * i}`);
    for (const said of heard.values()) {
      expect(said.map(({ outcome, text }) => `${outcome} ${text}`)).toEqual(everybody);
      expect(said.map(({ completed_at }) => completed_at)).toEqual(said.map(({ completed_at }) => completed_at).toSorted());
    }
    await until(async () => (await states()).every((state) => state === 'confirmed'));
    expect(await host.rows('select effect from effect_candidates')).toEqual([]);
    await expectSound(host.database);
  }, 480_000);
});
