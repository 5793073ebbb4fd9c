import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { expectSound } from '../../core/invariants.js';
import { eachDatabase, type TestDatabase } from '../../databases.js';
import { turns } from '../../fakes/agent/index.js';
import { until } from '../../scenarios/server-process.js';
import { LinearHost } from './linear.host.js';
import type { Json } from './linear.requests.js';
import { LinearWorld } from './linear.world.js';
import { BOARD, STATES } from './work.board.js';

const CANCELED = { id: '5fc1d0a0-0000-4000-8000-000000000006', name: 'Canceled', type: 'canceled' };
const isMove = ({ body }: { body: string }) => body.includes('issueUpdate');

eachDatabase('the work on an issue, steered on its board', (make) => {
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

  const start = async (options: object = { reconcile: false }) => {
    host = await LinearHost.start(test, { work: [BOARD], ...options });
    Object.assign(host.linear.states, STATES);
    world = new LinearWorld(host.linear);
  };
  const told = (what: string) => turns.flatMap(({ turn }) => turn.messages).filter(({ text }) => text.startsWith(what)).length;
  const task = async () => (await host.rows<{ state: string }>('select state from tasks'))[0]?.state ?? null;
  const move = async (issue: Json, column: keyof typeof BOARD) => {
    const answer = await host.send(world.update(issue, { state: STATES[BOARD[column]] }));
    await host.quiet();
    return answer.body;
  };
  const byAgent = (issue: Json, column: keyof typeof BOARD) => host.write('linear_set_state', String(issue.id), { stateId: BOARD[column] });
  const stateAt = (issue: Json) => (host.linear.issues.find(({ id }) => id === issue.id)?.state as Json | undefined)?.id;

  it('LIN-3 goes from a plan over its approval and a lease to review and Done, over restarts and a lost answer', async () => {
    await start();
    const { issue, event } = world.create('Repair scheduler');
    await host.send(event);
    await host.quiet();
    await move(issue, 'planning');
    expect([await task(), told('Plan the work'), turns.length]).toEqual(['planning', 1, 2]);
    expect(await host.rows("select outcome, reason from deliveries where outcome = 'ignored'")).toEqual([
      { outcome: 'ignored', reason: 'owned_by_controller' },
    ]);

    // The agent may take the next step, and no other; what it does wakes nobody.
    for (const column of ['review', 'approved', 'inProgress', 'done'] as const)
      expect(await byAgent(issue, column)).toMatchObject({ is: 'refused' });
    expect(await host.write('linear_plan', String(issue.id), { plan: '1. Mend it' })).toMatchObject({ is: 'confirmed' });
    expect(await byAgent(issue, 'planApproval')).toMatchObject({ is: 'confirmed' });
    expect(await task()).toBe('proposed');
    await host.restart();
    await host.send(world.comment(issue, 'how long will it take?'));
    await host.quiet();
    expect(told('how long')).toBe(1);

    // The first answer to the host's own move is lost: it is done again, and the agent is told once.
    host.linear.once(isMove, 'drop');
    await move(issue, 'approved');
    await until(async () => told('Do the work') === 1);
    await host.quiet();
    expect([await task(), stateAt(issue)]).toEqual(['running', BOARD.inProgress]);
    await host.restart();
    await host.send(world.update(issue, { title: 'Repair the scheduler' }));
    await host.quiet();
    expect([told('Do the work'), told('Title')]).toEqual([1, 0]);

    expect(await byAgent(issue, 'review')).toMatchObject({ is: 'confirmed' });
    expect(await task()).toBe('review');
    const writes = host.linear.calls.filter(({ body }) => body.includes('mutation')).length;
    await move(issue, 'done');
    expect([await task(), (await host.rows<{ state: string }>('select state from conversations'))[0]?.state]).toEqual(['done', 'terminal']);
    expect(host.linear.calls.filter(({ body }) => body.includes('mutation'))).toHaveLength(writes);
  });

  it('LIN-3 a person’s own move to In Progress lets it be done; that it is there does not, and another end cancels', async () => {
    await start();
    const { issue, event } = world.create('Repair scheduler', { state: STATES[BOARD.inProgress] });
    await host.send({ ...event, actor: { id: 'sync', service: 'github', type: 'integration' } });
    await host.send(world.update(issue, { title: 'Repair the scheduler' }));
    await host.quiet();
    expect([await task(), turns.length]).toEqual([null, 0]);
    await move(issue, 'inProgress');
    expect([await task(), told('Do the work')]).toEqual(['running', 1]);
    expect(await host.rows('select initiator from tasks')).toEqual([{ initiator: 'linear:aacdca22-6266-4c0a-ab3c-8fa70a26765c' }]);
    expect(host.linear.calls.some(isMove)).toBe(false);
    await move(issue, 'blocked');
    expect(await task()).toBe('blocked');
    await move(issue, 'planning');
    expect([await task(), told('Plan the work')]).toEqual(['planning', 1]);
    await host.send(world.update(issue, { state: CANCELED }));
    await host.quiet();
    expect(await task()).toBe('cancelled');
  });

  it('LIN-3 a move whose webhook never came is found on the board, and a Done without a review is no Done', async () => {
    await start({ interval: '100ms' });
    const { issue } = world.create('Repair scheduler', { state: STATES[BOARD.planning] });
    await until(async () => told('Plan the work') === 1);
    await host.quiet();
    world.update(issue, { state: STATES[BOARD.approved] });
    await until(async () => told('Do the work') === 1);
    await host.quiet();
    world.update(issue, { state: STATES[BOARD.done] });
    await until(async () => (await task()) === 'cancelled');
    await host.quiet();
    expect([told('Plan the work'), told('Do the work'), turns.length]).toEqual([1, 1, 2]);
  });
});
