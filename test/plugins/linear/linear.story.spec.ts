import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { expectSound } from '../../core/invariants.js';
import { eachDatabase, type TestDatabase } from '../../databases.js';
import { turns } from '../../fakes/agent/index.js';
import { until } from '../../scenarios/server-process.js';
import { LinearHost, PROJECTS } from './linear.host.js';
import { DONE, LinearWorld, TO_DO } from './linear.world.js';

const OPTIONS = { projects: { [PROJECTS.eng]: 'eng', [PROJECTS.ops]: 'ops' }, interval: '100ms' };

eachDatabase('the story of an issue at Linear', (make) => {
  let test: TestDatabase;
  let host: LinearHost;
  let world: LinearWorld;

  beforeEach(async () => {
    test = await make.migrated();
    turns.splice(0);
  });
  afterEach(async () => {
    await expectSound(host.database);
    await host.close();
    await test.drop();
  });

  const start = async (options: object = {}) => {
    host = await LinearHost.start(test, { ...OPTIONS, ...options });
    world = new LinearWorld(host.linear);
  };
  const told = () => turns.flatMap(({ turn }) => turn.messages.map(({ text }) => text));
  const conversations = () =>
    host.rows<{ id: string; key: string; workspace: string; state: string; title: string }>(
      'select id, key, workspace, state, title from conversations order by created_at, key',
    );
  const reasons = () => host.rows<{ reason: string | null }>("select reason from deliveries where outcome = 'ignored' order by sequence");

  it('LIN-1 LIN-2 IDN-4 goes with its project and its team, is asked for before each turn, and ignores what is on no board', async () => {
    await start({ reconcile: false });
    const { issue, event } = world.create('Repair scheduler', { projectId: PROJECTS.eng });
    expect((await host.send(event)).body).toMatchObject({ disposition: 'routed' });
    await host.quiet();
    expect(told()).toEqual(['Repair scheduler']);

    // Elsewhere: known by the event where it says so, else by asking.
    const off = world.create('Not ours', { projectId: '99999999-0000-4000-8000-000000000009' });
    expect((await host.send(off.event)).body).toMatchObject({ disposition: 'ignored', reason: 'off_board', deliveries: [] });
    await host.send(world.comment(off.issue, 'are you there?'));
    await host.quiet();
    expect(await reasons()).toEqual([{ reason: 'off_board' }]);

    // A move wakes nobody, and the conversation goes along; so does one to another team, which gives it another name.
    await host.send(world.update(issue, { projectId: PROJECTS.ops }));
    await host.quiet();
    const [first] = await conversations();
    expect(first).toMatchObject({ key: issue.id, workspace: 'ops', state: 'open' });
    await host.send(world.update(issue, { teamId: 'c0ffee00-0000-4000-8000-000000000001', identifier: 'OPS-42' }));
    await host.send(world.comment(issue, 'and now?'));
    await host.quiet();
    expect(new Set(turns.map(({ conversation }) => conversation.id)).size).toBe(1);
    expect(told().slice(1).join('\n')).toContain('and now?');
    expect((await reasons()).map(({ reason }) => reason).toSorted()).toEqual(['off_board', 'project_move']);

    // Closed at Linear, and its callback is still on its way: the comment finds out.
    world.update(issue, { state: DONE });
    const before = turns.length;
    await host.send(world.comment(issue, 'one more thing'));
    await until(async () => (await conversations())[0]?.state === 'terminal');
    await host.quiet();
    expect(turns).toHaveLength(before);
  });

  it('REC-5 LIN-2 W14 what happened during a downtime is asked for: comments reach their agent once, ends are found', async () => {
    await start();
    const [one, two] = [world.create('First', { projectId: PROJECTS.eng }), world.create('Second', { projectId: PROJECTS.eng })];
    await host.send(one.event);
    await host.send(two.event);
    await host.quiet();
    const lost: Record<string, unknown>[] = [];
    await host.restart(() => {
      lost.push(world.comment(one.issue, 'said during the downtime'), world.update(two.issue, { state: DONE }));
    });
    await until(async () => told().includes('said during the downtime'));
    await until(async () => (await conversations()).some(({ key, state }) => key === two.issue.id && state === 'terminal'));
    await host.quiet();

    // Linear tries again in the end: nothing of it is news.
    const answers = await Promise.all(lost.map((payload) => host.send(payload)));
    expect(answers.map(({ body }) => [body.disposition, body.reason])).toEqual([
      ['ignored', 'same_message'],
      ['recorded', 'repeated'],
    ]);
    await host.quiet();
    expect(told().filter((text) => text === 'said during the downtime')).toHaveLength(1);
    expect(await host.rows("select outcome from deliveries where kind = 'lifecycle'")).toEqual([{ outcome: 'lifecycle' }]);

    // A reopening that nobody was told of is found, too.
    world.update(two.issue, { state: TO_DO });
    await until(async () => (await conversations()).every(({ state }) => state === 'open'));
  });

  it('EFF-2 EFF-7 EFF-3 what the agent writes wakes nobody; what a person writes with the same account does', async () => {
    await start();
    const { issue, event } = world.create('Repair scheduler', { projectId: PROJECTS.eng });
    await host.send(event);
    await host.quiet();
    const before = turns.length;
    for (const [tool, input] of [
      ['linear_comment', { body: 'Found it' }],
      ['linear_plan', { plan: '1. Mend it' }],
    ] as const) {
      expect(await host.write(tool, String(issue.id), input)).toMatchObject({ is: 'confirmed' });
      const written = host.linear.comments.at(-1);
      const callback = world.comment(issue, String(written?.body));
      const echo = { ...callback, data: { ...(callback.data as object), id: written?.id, updatedAt: written?.updatedAt } };
      expect((await host.send(echo)).body).toMatchObject({ disposition: 'suppressed' });
    }
    expect(host.linear.comments.map(({ body }) => body)).toContain('**Plan**\n\n1. Mend it');
    await host.send(world.comment(issue, 'Found it'));
    await host.quiet();
    expect(turns).toHaveLength(before + 1);
  });

  it('WSP-2 LIN-1 a public source makes untrusted turns of the same events, and a private one trusted ones', async () => {
    await start();
    await host.send(world.create('Private', { projectId: PROJECTS.eng }).event);
    await host.quiet();
    await host.restart(undefined, { ...OPTIONS, source: 'public', organizationId: 'dc844923-f9a4-40a3-825c-dea7747e57d6' });
    await host.send(world.create('Public', { projectId: PROJECTS.eng }).event);
    await host.quiet();
    expect(turns.map(({ turn }) => turn.trust)).toEqual(['trusted', 'untrusted']);
    const other = { ...world.create('Other', { projectId: PROJECTS.eng }).event, organizationId: 'another' };
    expect((await host.send(other)).body).toMatchObject({ disposition: 'recorded', reason: 'other_organization' });
  });
});
