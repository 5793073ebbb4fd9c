import { expect, it } from '@jest/globals';
import { slotOf } from '../../../src/core/controls/errands.js';
import { putPosts } from '../../../src/core/controls/posts.js';
import { clock } from '../../../src/database/tx.js';
import type { ChannelState } from '../../../src/plugin/index.js';
import { comment } from '../../core/builders.js';
import { type Core, delivered, eachCore } from '../../core/core.js';
import { Chat } from '../../fakes/channel/index.js';
import { type Bench, until } from '../harness.js';
import { areDone, chatBenches } from './shown.js';

eachCore('a channel that does not take what is to be shown', (open) => {
  const { bench } = chatBenches();

  const fault = async (core: Core) => (await core.rows<{ fault: string | null }>('select fault from control_bindings'))[0]?.fault;
  /** One whole turn; it goes on whatever its channel says. */
  const turn = async (core: Core, { runtime }: Bench, says: string) => {
    const { conversation } = delivered(await core.admit(comment('T-1', says)));
    (await runtime.next()).finish(says);
    await until(async () => (await core.queue(conversation)).open === 0);
    return conversation;
  };
  /** What waits for its next try is tried now. */
  const hurry = async (core: Core, { signals }: Bench) => {
    await core.change('update errands set due_at = 1 where due_at is not null');
    signals.emit('errands');
  };
  const alertsOf = ({ signals }: Bench) => {
    const alerts: string[] = [];
    signals.on('alert', (about) => alerts.push(about));
    return alerts;
  };

  it.each<[ChannelState, 'ensure' | 'post']>([
    ['thread_locked', 'post'],
    ['too_many_threads', 'ensure'],
    ['parent_gone', 'ensure'],
    ['forbidden', 'ensure'],
  ])(
    'CTL-1 DSC-2 %s is a state that a person is told of once, turns go on, and what was to be shown comes when it is mended',
    async (state, method) => {
      const core = open();
      const chat = new Chat();
      const made = await bench(core, chat);
      const alerts = alertsOf(made);
      chat.spoil(method, { state }, { state });
      await turn(core, made, 'first');
      await until(async () => (await fault(core)) === state);
      await turn(core, made, 'second');
      await hurry(core, made);
      await until(() => chat.calls.filter((call) => call.startsWith(method)).length >= 2);
      expect(await fault(core)).toBe(state);
      await until(async () => {
        await hurry(core, made);
        return areDone(core)();
      });
      expect([chat.textsIn('T1'), await fault(core), alerts]).toEqual([['first', 'second'], null, ['control']]);
    },
  );

  it('CTL-1 DSC-2 1,000 active threads are as many as there may be: the next one is made when one of them is archived', async () => {
    const core = open();
    const chat = new Chat();
    const made = await bench(core, chat);
    for (let i = 0; i < 1_000; i++) chat.makeThread('C1', `thread ${i}`, null);
    await turn(core, made, 'waits for room');
    await until(async () => (await fault(core)) === 'too_many_threads');
    expect(chat.threads.size).toBe(1_000);
    const [oldest] = chat.threads.values();
    if (oldest) oldest.isArchived = true;
    await hurry(core, made);
    await until(areDone(core));
    expect([chat.openThreads, chat.textsIn('T1001'), await fault(core)]).toEqual([1_000, ['waits for room'], null]);
  });

  it('CTL-1 CTL-5 a locked thread is written to again once it is unlocked, and an archived one is opened', async () => {
    const core = open();
    const chat = new Chat();
    const made = await bench(core, chat);
    await turn(core, made, 'first');
    await until(areDone(core));
    const thread = chat.threads.get('T1');
    if (thread) Object.assign(thread, { isLocked: true, isArchived: true });
    await turn(core, made, 'second');
    await until(async () => (await fault(core)) === 'thread_locked');
    expect(chat.textsIn('T1')).toEqual(['first']);
    if (thread) thread.isLocked = false;
    await hurry(core, made);
    await until(areDone(core));
    expect([chat.textsIn('T1'), thread?.isArchived, chat.threads.size]).toEqual([['first', 'second'], false, 1]);
  });

  it('CTL-4 TRN-8 what has changed is said once more where nothing that was said can be changed', async () => {
    const core = open();
    const chat = new Chat();
    const limits = { title: 100, text: 2000, editMs: null };
    const { signals } = await bench(core, chat, {}, limits);
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const place = { conversation, org: 'default', workspace: 'main', placement: { connection: 'chat', parent: 'C1', limits } };
    const put = async (text: string) => {
      await core.database.transaction(async (tx) => putPosts(tx, place, [{ slot: slotOf('question'), text }], await clock(tx)));
      signals.emit('errands');
      await until(areDone(core));
    };
    await put('May I?');
    await put('May I?');
    await put('Approved by ada');
    expect(chat.textsIn('T1')).toEqual(['May I?', 'Approved by ada']);
    expect(chat.calls.some((call) => call.startsWith('edit'))).toBe(false);
    expect(new Set(chat.threads.get('T1')?.messages.map(({ key }) => key)).size).toBe(2);
  });
});
