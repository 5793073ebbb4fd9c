import { afterEach, expect, it } from '@jest/globals';
import { readConversation } from '../../src/core/conversations/list-conversations.js';
import type { ApprovalDecision } from '../../src/plugin/index.js';
import { Office } from '../core/approvals/desk.js';
import { comment, route } from '../core/builders.js';
import { type Core, delivered, eachCore } from '../core/core.js';
import { Bench, type BenchOptions, until } from './harness.js';
import { StagedRuntime } from './staged.runtime.js';

/** Agents that can be told what a person has decided. */
class AskingRuntime extends StagedRuntime {
  readonly decided: string[] = [];
  isWilling = true;

  async decide(_turn: string, request: string, decision: ApprovalDecision): Promise<boolean> {
    this.decided.push(`${request} ${decision}`);
    return this.isWilling;
  }
}

eachCore('what an agent asks for while its turn runs', (open) => {
  const benches: Bench[] = [];
  let office: Office | null = null;
  afterEach(async () => {
    await office?.stop();
    office = null;
    await Promise.all(benches.splice(0).map((bench) => bench.stop()));
  });

  async function at(options: BenchOptions = {}, core: Core = open(route())) {
    const runtime = new AskingRuntime();
    const bench = new Bench(core, [route()], { workspaces: [{ runtime }], ...options });
    benches.push(bench);
    await bench.start();
    office ??= new Office(core);
    return { core, bench, runtime, office };
  }

  const stop = async (bench: Bench) => {
    benches.splice(benches.indexOf(bench), 1);
    await bench.stop();
  };

  async function asking(runtime: StagedRuntime, core: Core, key = 'A', what = 'rm') {
    const before = runtime.begun.length;
    const { conversation } = delivered(await core.admit(comment(key, 'do it')));
    await until(() => runtime.begun.length > before);
    const turn = runtime.begun.at(-1);
    if (!turn) throw new Error('no turn');
    turn.say({ type: 'approval', id: 'r1', title: `Run ${what}`, body: `$ ${what} -rf build` });
    await until(async () => (await core.count('approvals')) > 0);
    return { conversation, turn };
  }

  const theOnly = async (core: Core) => {
    const [row] = await core.rows<{ id: string; state: string; waits_until: number | null }>('select * from approvals');
    if (!row) throw new Error('no approval');
    return row;
  };
  const statusOf = (core: Core, id: string) =>
    core.database.transaction(async (tx) => (await readConversation(tx, 'default', id))?.status ?? null);

  it.each(['approve', 'deny'] as const)('CTL-4 FIF-3 %s: the turn waits without a place, and its agent is told', async (decision) => {
    const { core, bench, runtime, office: people } = await at({ concurrency: 1 });
    const { conversation, turn } = await asking(runtime, core);
    await until(() => bench.worker.turnsRunning === 0);
    expect(await statusOf(core, conversation)).toBe('waiting_approval');
    const other = delivered(await core.admit(comment('B', 'meanwhile')));
    await until(() => runtime.begun.length === 2);
    runtime.begun[1]?.finish();
    await until(async () => (await core.outcomes(other.conversation))[0] === 'prompt done');
    const { id } = await theOnly(core);
    expect(await people.decide(id, decision)).toMatchObject({ is: 'decided' });
    const told = decision === 'approve' ? 'approved' : 'denied';
    await until(() => runtime.decided.length === 1);
    expect(runtime.decided).toEqual([`r1 ${told}`]);
    await until(async () => (await people.row(id)).told_at !== null);
    expect(await people.state(id)).toBe(decision === 'approve' ? 'executed' : 'denied');
    expect(await statusOf(core, conversation)).toBe('running');
    turn.finish();
    await until(async () => (await core.outcomes(conversation))[0] === 'prompt done');
    people.start();
    expect(await people.told(conversation)).toEqual([]);
  });

  it('CTL-4 nobody decides in time: the agent is told no, and a later yes begins the next turn', async () => {
    const { core, runtime, office: people } = await at({ approvalWaitMs: 1 });
    const { conversation, turn } = await asking(runtime, core);
    await until(() => runtime.decided.length === 1);
    expect(runtime.decided).toEqual(['r1 expired']);
    turn.finish('not allowed');
    await until(async () => (await core.outcomes(conversation))[0] === 'prompt done');
    const { id } = await theOnly(core);
    expect(await people.state(id)).toBe('pending');
    expect(await statusOf(core, conversation)).toBe('waiting_approval');
    people.start();
    await people.decide(id);
    await until(() => runtime.begun.length === 2);
    expect(runtime.begun[1]?.input.turn.messages[0]?.text).toMatch(/given by ada now[\s\S]*\$ rm -rf build/);
    runtime.begun[1]?.finish();
    await until(async () => (await people.row(id)).told_at !== null);
    expect(await people.state(id)).toBe('executed');
  });

  it.each([
    ['approve', 'approved', 'executed'],
    ['deny', 'denied', 'denied'],
  ] as const)('CTL-4 REC-3 the server restarts while a turn waits: %s meanwhile answers the repeated turn', async (said, told, state) => {
    const { core, bench, runtime, office: people } = await at();
    const { conversation } = await asking(runtime, core);
    await until(() => bench.worker.turnsRunning === 0);
    await stop(bench);
    const { id } = await theOnly(core);
    await people.decide(id, said);
    people.start();
    const again = await at({}, core);
    await core.makeDue(conversation);
    await until(() => again.runtime.begun.length === 1);
    again.runtime.begun[0]?.say({ type: 'approval', id: 'other', title: 'Run rm', body: '$ rm -rf build' });
    await until(() => again.runtime.decided.length === 1);
    expect(again.runtime.decided).toEqual([`other ${told}`]);
    again.runtime.begun[0]?.finish();
    await until(async () => (await core.outcomes(conversation))[0] === 'prompt done');
    expect(await people.state(id)).toBe(state);
    expect(await core.count('approvals')).toBe(1);
    expect(await people.told(conversation)).toEqual([]);
    // What was said held for that one request: the next one is asked anew.
    const { turn } = await asking(again.runtime, core);
    await until(async () => (await core.count('approvals')) === 2);
    await again.office.decide((await core.rows<{ id: string }>("select id from approvals where state = 'pending'"))[0]?.id ?? '');
    await until(() => again.runtime.decided.length === 2);
    turn.finish();
  });

  it('CTL-4 a runtime that cannot be answered does not wait', async () => {
    const core = open(route());
    const runtime = new StagedRuntime();
    const { bench, office: people } = await at({ workspaces: [{ runtime }] }, core);
    const { conversation, turn } = await asking(runtime, core);
    expect(bench.worker.turnsRunning).toBe(1);
    expect((await theOnly(core)).waits_until).toBeNull();
    turn.finish();
    await until(async () => (await core.outcomes(conversation))[0] === 'prompt done');
    people.start();
    await people.decide((await theOnly(core)).id);
    await until(() => runtime.begun.length === 2);
    runtime.begun[1]?.finish();
    await until(async () => (await core.outcomes(conversation))[1] === 'prompt done');
  });

  it('CTL-4 an agent that waits no more is told by a message', async () => {
    const { core, runtime, office: people } = await at();
    runtime.isWilling = false;
    const { conversation, turn } = await asking(runtime, core);
    people.start();
    await people.decide((await theOnly(core)).id);
    await until(async () => (await people.told(conversation)).length === 1);
    turn.finish();
    await until(() => runtime.begun.length === 2);
    runtime.begun[1]?.finish();
    await until(async () => (await core.outcomes(conversation))[1] === 'prompt done');
  });

  it('CTL-4 RST-1 a reset ends the turn that waits, and what it asked for', async () => {
    const { core, bench, runtime, office: people } = await at();
    const { conversation, turn } = await asking(runtime, core);
    await until(() => bench.worker.turnsRunning === 0);
    await core.operations.reset('default', conversation, 'ada');
    await until(() => turn.isAborted);
    expect(await people.state((await theOnly(core)).id)).toBe('void (reset)');
    expect(runtime.decided).toEqual([]);
  });

  it('CTL-4 a person who pauses it is waited for first', async () => {
    const { core, bench, runtime, office: people } = await at();
    const { conversation, turn } = await asking(runtime, core);
    await until(() => bench.worker.turnsRunning === 0);
    await core.operations.pause('default', conversation, 'ada');
    await people.decide((await theOnly(core)).id);
    expect(await statusOf(core, conversation)).toBe('paused');
    expect(runtime.decided).toEqual([]);
    await core.operations.resume('default', conversation, 'ada');
    await until(() => runtime.decided.length === 1);
    turn.finish();
    await until(async () => (await core.outcomes(conversation))[0] === 'prompt done');
  });
});
