import { beforeEach, expect, it } from '@jest/globals';
import type { Refusal } from '../../../src/core/notices/notices.js';
import { comment, route } from '../builders.js';
import { type Core, eachCore } from '../core.js';

const DAY = 86_400_000;
const CLOSED = { authors: { allowSelf: false, allowBots: false, allow: ['lin'] } };

eachCore('notices of refused people', (open) => {
  let core: Core;
  let told: Refusal[];

  beforeEach(() => {
    core = open(route(CLOSED), route({ ...CLOSED, name: 'second' }));
    told = heard(core);
  });

  function heard(by: Core): Refusal[] {
    const refusals: Refusal[] = [];
    by.signals.on('refused', (some) => refusals.push(...some));
    return refusals;
  }

  const from = (id: string, change: { isBot?: boolean; isSelf?: boolean } = {}) =>
    comment('T-1', `from ${id}`, { author: { id, name: id, isBot: false, ...change } });

  it('ACC-6 a person whom no route lets in is noticed once a day and source, whatever else they send', async () => {
    const first = await core.admit(from('mallory'));
    expect(first).toMatchObject({ disposition: 'ignored', reason: 'author_not_allowed' });
    for (let i = 0; i < 3; i++) await core.admit(from('mallory'));
    const other = await core.admit(from('eve'));
    const elsewhere = await open(route({ ...CLOSED, source: 'desk' })).admit({ ...from('mallory'), source: 'desk' });
    expect(told.map(({ author, receipt }) => [author, String(receipt)])).toEqual([
      ['mallory', first.receipt],
      ['eve', other.receipt],
    ]);
    const rows = await core.rows<{ source: string; author: string; receipt: number }>('select * from notices order by receipt');
    expect(rows.map(({ source, author }) => [source, author])).toEqual([
      ['tracker', 'mallory'],
      ['tracker', 'eve'],
      ['desk', 'mallory'],
    ]);
    expect(String(rows[2]?.receipt)).toBe(elsewhere.receipt);
  });

  it('ACC-6 on the next day there is a notice again', async () => {
    await core.admit(from('mallory'));
    await core.change('update notices set day = day - 1');
    await core.admitAll(from('mallory'), from('mallory'));
    const days = await core.rows<{ day: number }>('select day from notices order by day');
    expect(days.map(({ day }) => day - Math.floor(Date.now() / DAY))).toEqual([-1, 0]);
    expect(told).toHaveLength(2);
  });

  it('ACC-6 of 100 events of five strangers over two replicas five are noticed', async () => {
    const { core: second, close } = await core.another(route(CLOSED));
    const toldThere = heard(second);
    await Promise.all(Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? core : second).admit(from(`stranger ${(i * 7) % 5}`))));
    expect([...told, ...toldThere].map(({ author }) => author).sort()).toEqual([0, 1, 2, 3, 4].map((i) => `stranger ${i}`));
    expect(await core.count('notices')).toBe(5);
    await close();
  });

  it('ACC-6 nobody is noticed who is let in, no machine, and nothing that is decided again or repeated', async () => {
    await core.admit(from('lin'));
    await core.admit(from('robot', { isBot: true }));
    await core.admit(from('we', { isSelf: true }));
    await open(route(CLOSED), route({ name: 'open to all' })).admit(from('mallory'));
    expect(told).toEqual([]);
    const refused = from('mallory');
    const { receipt } = await core.admit(refused);
    await core.change('delete from notices');
    await core.admit(refused);
    await core.admissions.replay({ org: 'default', receipt: Number(receipt), by: 'ada', routes: null, force: false });
    await core.admissions.replay({ org: 'default', receipt: Number(receipt), by: 'ada', routes: null, force: true });
    expect([told.length, await core.count('notices')]).toEqual([1, 0]);
  });
});
