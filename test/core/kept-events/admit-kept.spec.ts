import { beforeEach, expect, it } from '@jest/globals';
import { admitKept } from '../../../src/core/admission/admit-kept.js';
import { closing, comment, event, lifecycle, opened, prompt, route } from '../builders.js';
import { type Core, delivered, eachCore } from '../core.js';

const KEEPER = { org: 'default', name: 'triage' };

eachCore('events that a route keeps', (open) => {
  let kept: Core;
  let core: Core;

  beforeEach(() => {
    kept = open(route({ activation: 'on_demand' }));
    core = open(route());
  });

  const replay = (by = core) => admitKept(by.database, by.admissions, KEEPER, 'switch');

  async function texts(): Promise<string[]> {
    const rows = await core.rows<{ parsed: string }>(
      'select r.parsed from deliveries d join receipts r on r.id = d.receipt order by d.conversation, d.sequence',
    );
    return rows.map(({ parsed }) => (JSON.parse(parsed) as { text: string }).text);
  }

  it('ACC-5 are admitted in the order in which they came, each once, and decided by whoever switched', async () => {
    for (let i = 0; i < 120; i++) await kept.admit(comment('T-1', `kept ${i}`));
    const { conversation } = delivered(await core.admit(comment('T-1', 'live')));
    expect([await replay(), await replay(), await replay(), await replay()]).toEqual([
      { admitted: 50, lost: 0, isDone: false },
      { admitted: 50, lost: 0, isDone: false },
      { admitted: 20, lost: 0, isDone: true },
      { admitted: 0, lost: 0, isDone: true },
    ]);
    expect(await texts()).toEqual(['live', ...Array.from({ length: 120 }, (_, i) => `kept ${i}`)]);
    expect(await core.queue(conversation)).toMatchObject({ open: 121 });
    expect(await core.rows("select distinct decided_by from decisions where number = 1 and disposition = 'routed'")).toEqual([
      { decided_by: 'switch' },
    ]);
  });

  it('ACC-5 are admitted once by two replicas that are switched at the same time, and in one order', async () => {
    for (let i = 0; i < 130; i++) await kept.admit(comment('T-1', `kept ${i}`));
    const { core: second, close } = await core.another();
    const all = async (by: Core) => {
      while ((await core.count('kept_events')) > 0) await replay(by);
    };
    await Promise.all([all(core), all(second)]);
    expect(await texts()).toEqual(Array.from({ length: 130 }, (_, i) => `kept ${i}`));
    expect(await core.rows('select receipt from decisions group by receipt having count(*) <> 2')).toEqual([]);
    await close();
  });

  it('ACC-5 what somebody asked for before is not admitted again, and what has ended since is not woken', async () => {
    const asked = await kept.admit(comment('T-1', 'asked for'));
    await kept.admit(comment('T-2', 'of an ended subject'));
    await kept.admit(closing('T-2', 1));
    await kept.admissions.replay({ org: 'default', receipt: Number(asked.receipt), by: 'ada', routes: null, force: false });
    expect(await replay()).toMatchObject({ admitted: 2, isDone: true });
    expect(await texts()).toEqual(['asked for']);
    const reasons = await core.rows<{ reason: string }>("select reason from decisions where decided_by = 'switch' order by receipt");
    expect(reasons.map(({ reason }) => reason)).toEqual(['same_conversation', 'terminal']);
  });

  it('ACC-5 only prompts are kept, each for the routes that are to be asked', async () => {
    const two = open(
      route({ activation: 'on_demand' }),
      route({ name: 'second' }),
      route({ name: 'third', activation: 'on_demand', scope: 'automation' }),
    );
    await two.admit(comment('T-1'));
    await two.admit(event(lifecycle('T-3', opened(1))));
    await two.admit(event({ ...prompt('T-4', 'edited'), kind: 'edit', messageKey: 'm', revision: null }));
    expect((await core.rows<{ route: string }>('select route from kept_events order by route')).map((row) => row.route)).toEqual([
      'third',
      'triage',
    ]);
  });

  it('ACC-5 one whose payload is gone is left out, if a route has to look into it', async () => {
    const receipts = [];
    for (let i = 0; i < 3; i++) receipts.push((await kept.admit(comment('T-1', `kept ${i}`))).receipt);
    await core.change('update receipts set payload = null where id = ?', Number(receipts[1]));
    expect(await replay(open(route({ filter: 'number' })))).toEqual({ admitted: 2, lost: 1, isDone: true });
    expect(await texts()).toEqual(['kept 0', 'kept 2']);
  });
});
