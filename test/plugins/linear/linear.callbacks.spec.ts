import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { expectSound } from '../../core/invariants.js';
import { eachDatabase, type TestDatabase } from '../../databases.js';
import { turns } from '../../fakes/agent/index.js';
import { LinearHost } from './linear.host.js';
import { type Json, linearFixture } from './linear.requests.js';
import { DONE, LinearWorld, STARTED } from './linear.world.js';

const MINUTE = 60_000;
const ISSUES = 10;

interface Callback {
  readonly id: string;
  readonly payload: Json;
  /** What an agent reads of it; null: it wakes nobody. */
  readonly text: string | null;
  /** It may change, or come too late for the message that it changes. */
  readonly isLoose?: boolean;
}

eachDatabase('200 callbacks of Linear with its retries', (make) => {
  let test: TestDatabase;
  let host: LinearHost;

  beforeEach(async () => {
    test = await make.migrated();
    turns.splice(0);
    host = await LinearHost.start(test, { reconcile: false });
  });
  afterEach(async () => {
    await expectSound(host.database);
    await host.close();
    await test.drop();
  });

  it('SIG-3 ACC-2 FIF-4 LIN-1 200 mixed callbacks of 10 issues, tried again after a minute and an hour, are each handled once', async () => {
    const started = Date.now();
    const world = new LinearWorld(host.linear, started - 61 * MINUTE);
    const issues = Array.from({ length: ISSUES }, (_, n) => world.create(`Issue ${n}`, { description: `described as ${n}` }));
    const callbacks = issues.flatMap(({ issue, event }, n) => [callback(event, `described as ${n}`), ...changesOf(world, issue, n)]);

    // Each is tried three times; some first tries, and some second ones, never arrive. Every other retry has its first timestamp.
    const tries = (minutesAgo: number, which: readonly Callback[], isOld: (n: number) => boolean) =>
      Promise.all(
        which.map(({ id, payload }, n) => {
          const signedAt = started - (isOld(n) ? 61 : minutesAgo) * MINUTE;
          return host.send(payload, { id, signedAt });
        }),
      );
    const isOdd = (n: number) => n % 2 === 1;
    const answers = [
      ...(await tries(
        61,
        callbacks.filter((_, n) => n % 5 !== 0),
        () => true,
      )),
      ...(await tries(
        60,
        callbacks.filter((_, n) => n % 10 !== 0),
        isOdd,
      )),
    ];
    await host.restart();
    answers.push(...(await tries(0, callbacks, isOdd)));
    await host.quiet();
    const ends = issues.map(({ issue }, n) => endOf(world, issue, n));
    for (const minutesAgo of [61, 60, 0]) answers.push(...(await tries(minutesAgo, ends, isOdd)));
    await host.quiet();

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.filter(({ body }) => !body.duplicate)).toHaveLength(200);
    expect(await host.rows('select count(*) as count from receipts')).toEqual([{ count: 200 }]);
    expect(await host.rows('select count(*) as count from conversations')).toEqual([{ count: ISSUES }]);
    expect(await host.rows('select receipt from deliveries group by receipt having count(*) > 1')).toEqual([]);
    expectEachOnce([...callbacks, ...ends]);
    expect(await host.rows("select count(*) as count from conversations where state = 'terminal'")).toEqual([{ count: ISSUES / 2 }]);
    expect(await host.rows("select outcome, count(*) as count from deliveries where kind = 'lifecycle' group by outcome")).toEqual([
      { outcome: 'lifecycle', count: ISSUES / 2 },
    ]);
  });
});

function callback(payload: Json, text: string | null, isLoose = false): Callback {
  return { id: randomUUID(), payload, text, isLoose };
}

/** 18 of an issue, beside its creation and the last one. */
function changesOf(world: LinearWorld, issue: Json, n: number): Callback[] {
  const comments = Array.from({ length: 9 }, (_, c) => ({
    text: `comment ${c} of ${n}`,
    payload: world.comment(issue, `comment ${c} of ${n}`),
  }));
  const [first, last] = [comments[0]?.payload.data as Json, comments[8]?.payload.data as Json];
  const titles = [1, 2, 3].map((t) => callback(world.update(issue, { title: `Title ${t} of ${n}` }), `Title is now "Title ${t} of ${n}"`));
  return [
    ...comments.map(({ payload, text }, c) => callback(payload, text, c === 0 || c === 8)),
    callback(
      { ...linearFixture('comment.update'), data: { ...first, body: `edited of ${n}` }, updatedFrom: { body: 'x' } },
      `edited of ${n}`,
      true,
    ),
    callback({ ...linearFixture('comment.remove'), data: last }, null),
    ...titles,
    callback(world.update(issue, { state: STARTED, dueDate: `2026-01-0${(n % 9) + 1}` }), 'State is now In Progress (started).', true),
    callback(world.update(issue, { sortOrder: n }), null),
    callback(world.update(issue, { projectId: randomUUID() }), null),
    callback({ ...linearFixture('reaction.create'), data: { id: randomUUID(), emoji: 'eyes', issueId: issue.id } }, null),
  ];
}

/** Every other issue is completed at last. */
function endOf(world: LinearWorld, issue: Json, n: number): Callback {
  return n % 2 === 0
    ? callback(world.update(issue, { state: DONE }), null)
    : callback(world.comment(issue, `last of ${n}`), `last of ${n}`);
}

function expectEachOnce(callbacks: readonly Callback[]): void {
  const read = turns.flatMap(({ turn }) => turn.messages.map(({ text }) => text));
  const counts = callbacks.flatMap(({ text, isLoose }) =>
    text === null || isLoose ? [] : [[text, read.filter((each) => each.includes(text)).length]],
  );
  expect(counts).toEqual(counts.map(([text]) => [text, 1]));
  const once = callbacks.flatMap(({ text }) => (text?.includes(' of ') ? [text] : []));
  expect(once.filter((text) => read.filter((each) => each.includes(text)).length > 1)).toEqual([]);
}
