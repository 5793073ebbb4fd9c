import { expect, it } from '@jest/globals';
import { ConversationTasks } from '../../../src/core/conversation-tasks.js';
import { task } from '../../../src/core/tasks/task.js';
import type { TaskState, TaskStep } from '../../../src/plugin/index.js';
import { comment } from '../builders.js';
import { type Core, delivered, eachCore } from '../core.js';

const STEPS: readonly TaskStep[] = ['plan', 'propose', 'lease', 'submit', 'block', 'complete', 'cancel'];
/** How to come to each state, from none. */
const WAYS: Readonly<Record<TaskState, readonly TaskStep[]>> = {
  planning: ['plan'],
  proposed: ['plan', 'propose'],
  running: ['lease'],
  review: ['lease', 'submit'],
  blocked: ['plan', 'block'],
  done: ['lease', 'submit', 'complete'],
  cancelled: ['plan', 'cancel'],
};

eachCore('the task of a conversation', (open) => {
  const tasksOf = async (core: Core, key = 'T-1') => {
    const { conversation } = delivered(await core.admit(comment(key)));
    return { conversation, tasks: new ConversationTasks(core.database, conversation, null) };
  };
  const by = (request: string) => ({ request, initiator: 'ada' });

  it('LIN-3 takes the steps that its table has, from every state, and no other; none begins by a later one', async () => {
    const core = open();
    for (const state of task.states)
      for (const step of STEPS) {
        const { tasks } = await tasksOf(core, `${state} ${step}`);
        for (const [n, before] of WAYS[state].entries()) expect(await tasks.take(before, by(`before-${n}`))).not.toBeNull();
        const isLegal = step in task.table[state];
        const taken = await tasks.take(step, by('now'));
        expect([state, step, taken?.state ?? null]).toEqual([state, step, isLegal ? task.target(step) : null]);
        expect((await tasks.read())?.state).toBe(isLegal ? task.target(step) : state);
      }
    const { tasks } = await tasksOf(core, 'none');
    for (const step of STEPS.filter((each) => each !== 'plan' && each !== 'lease')) expect(await tasks.take(step, by('x'))).toBeNull();
    expect(await tasks.read()).toBeNull();
  });

  it('LIN-3 one request takes one step, however often it is made; each step stands in the timeline, with for whom', async () => {
    const core = open();
    const { conversation, tasks } = await tasksOf(core);
    const taken = await Promise.all([1, 2, 3].map(() => tasks.take('lease', by('move-1'))));
    expect(taken).toEqual(Array(3).fill({ state: 'running', request: 'move-1', initiator: 'ada' }));
    expect(await tasks.take('lease', by('move-2'))).toBeNull();
    await tasks.take('submit', by('move-3'));
    expect(
      await core.rows("select noted_by, reason from notes where kind = 'task' and conversation = ? order by id", conversation),
    ).toEqual([
      { noted_by: 'ada', reason: 'none → running: move-1' },
      { noted_by: 'ada', reason: 'running → review: move-3' },
    ]);
    expect(await core.rows('select lease from tasks')).toEqual([{ lease: 'move-1' }]);
  });

  it('LIN-3 FIF-2 a step under a claim that is somebody else’s by now is refused, and nothing is changed', async () => {
    const core = open();
    const { conversation } = await tasksOf(core);
    const claim = await core.claimOne();
    const tasks = new ConversationTasks(core.database, conversation, claim);
    expect(await tasks.take('plan', by('a'))).toMatchObject({ state: 'planning' });
    await core.change('update queues set token = token + 1');
    await expect(tasks.take('propose', by('b'))).rejects.toMatchObject({ kind: 'transient' });
    expect(await tasks.read()).toMatchObject({ state: 'planning', request: 'a' });
  });

  it('FIF-6 what the host says makes a turn of its own, in its place between messages', async () => {
    const core = open();
    const { conversation } = delivered(await core.admit(comment('T-1', 'before')));
    const said = {
      org: 'default',
      conversation,
      wake: true,
      by: 'throughline',
      source: 'tasks',
      trust: 'untrusted',
      eventKey: 'task',
    } as const;
    await core.admissions.tell({ ...said, id: 'a', text: 'plan it' });
    await core.admissions.tell({ ...said, id: 'a', text: 'plan it' });
    await core.admitAll(comment('T-1', 'after'), comment('T-1', 'and after'));
    const taken: number[][] = [];
    for (const _ of [1, 2, 3]) {
      const claim = await core.claimOne();
      taken.push(claim.entries.map(({ sequence }) => sequence));
      await core.finish(claim);
    }
    expect(taken).toEqual([[1], [2], [3, 4]]);
  });
});
