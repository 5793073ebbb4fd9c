import { expect, it } from '@jest/globals';
import { comment, event, prompt } from '../../core/builders.js';
import { type Core, delivered, eachCore } from '../../core/core.js';
import { Chat } from '../../fakes/channel/index.js';
import { Bench, until } from '../harness.js';
import { areDone, chatBenches } from './shown.js';

eachCore('what people see of a turn', (open) => {
  const { bench } = chatBenches();

  const bindings = (core: Core) =>
    core.rows<{ thread: string; state: string; fault: string | null; fault_message: string | null; title: string }>(
      'select thread, state, fault, fault_message, title from control_bindings order by created_at',
    );
  /** One whole turn, shown. */
  const turn = async (core: Core, { runtime }: Bench, key: string, says: string) => {
    const { conversation } = delivered(await core.admit(comment(key)));
    (await runtime.next()).finish(says);
    await until(async () => (await core.queue(conversation)).open === 0);
    return conversation;
  };

  it('TRN-8 CTL-1 the final text is posted in a thread of the conversation, which is made once there is something to show', async () => {
    const core = open();
    const chat = new Chat();
    const made = await bench(core, chat);
    const { conversation } = delivered(await core.admit(event(prompt('T-1', 'please', { title: '[T-1] Repair  the\nscheduler' }))));
    const running = await made.runtime.next();
    expect(chat.threads.size).toBe(0);
    running.finish('It is repaired.');
    await until(() => chat.textsIn('T1').length === 1);
    await until(areDone(core));
    expect(chat.textsIn('T1')).toEqual(['It is repaired.']);
    expect(chat.threads.get('T1')).toMatchObject({ parent: 'C1', title: '[T-1] Repair the scheduler', marker: conversation });
    expect(await bindings(core)).toMatchObject([{ thread: 'T1', state: 'open', fault: null }]);
    await turn(core, made, 'T-1', 'And tested.');
    await until(() => chat.textsIn('T1').length === 2);
    expect(chat.calls.filter((call) => call.startsWith('ensure'))).toHaveLength(1);
    expect(chat.mostAtOnce).toBe(1);
  });

  it('TRN-8 a failure and a stall are told in the thread, and what the next try says stands below', async () => {
    const core = open();
    const chat = new Chat();
    const { runtime } = await bench(core, chat);
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const first = await runtime.next();
    first.say({ type: 'text', text: 'I try.' });
    first.fail('it broke');
    const second = await runtime.next();
    second.say({ type: 'text', text: 'I try again.' });
    second.fail('it broke again');
    await until(async () => (await core.queue(conversation)).parked === 'stalled');
    await until(() => chat.textsIn('T1').length === 4);
    expect(chat.textsIn('T1')).toEqual([
      'I try.',
      'The turn failed (attempt 1 of 2, tried again): it broke',
      'I try again.',
      'Stalled after 2 attempts: it broke again. An operator decides what becomes of it.',
    ]);
  });

  it('CTL-1 a post whose answer was lost is found by its key and not written twice', async () => {
    const core = open();
    const chat = new Chat();
    const made = await bench(core, chat);
    chat.spoil('post', { lost: true });
    await turn(core, made, 'T-1', 'once');
    await until(areDone(core));
    expect(chat.textsIn('T1')).toEqual(['once']);
    expect(chat.calls.filter((call) => call.startsWith('post'))).toHaveLength(1);
    expect(chat.calls).toContain('find T1');
  });

  it('CTL-1 a post that surely was not written, by the word of nobody, is looked for and then written', async () => {
    const core = open();
    const chat = new Chat();
    const made = await bench(core, chat);
    chat.spoil('post', { broken: 'socket hang up' });
    await turn(core, made, 'T-1', 'once');
    await until(areDone(core));
    expect(chat.textsIn('T1')).toEqual(['once']);
    expect(chat.calls.filter((call) => /post|find/.test(call))).toEqual(['post T1', 'find T1', 'post T1']);
  });

  it('CTL-2 a deleted thread is replaced for the same conversation, with what was still to be posted in it', async () => {
    const core = open();
    const chat = new Chat();
    const made = await bench(core, chat);
    const conversation = await turn(core, made, 'T-1', 'first');
    await until(areDone(core));
    chat.threads.delete('T1');
    await turn(core, made, 'T-1', 'second');
    await until(areDone(core));
    expect(chat.threadsOf(conversation).map(({ id }) => id)).toEqual(['T2']);
    expect(chat.textsIn('T2')).toEqual(['second']);
    expect(await bindings(core)).toMatchObject([{ thread: 'T2', state: 'open', fault: null }]);
  });

  it("CTL-1 never adopts a stranger's thread with the same title, and threads of one parent have different titles", async () => {
    const core = open();
    const chat = new Chat();
    const stranger = chat.makeThread('C1', 'Repair', null);
    const made = await bench(core, chat);
    for (const key of ['T-1', 'T-2']) {
      await core.admit(event(prompt(key, 'please', { title: 'Repair' })));
      (await made.runtime.next()).finish(`about ${key}`);
      await until(areDone(core));
    }
    await until(() => chat.threads.size === 3);
    await until(areDone(core));
    expect(stranger.messages).toEqual([]);
    expect((await bindings(core)).map(({ title }) => title)).toEqual(['Repair', 'Repair (2)']);
  });

  it('CTL-5 a rate limit is obeyed, and delays the posts of its own channel only', async () => {
    const core = open();
    const chat = new Chat();
    const made = await bench(core, chat);
    chat.spoil('post', { state: 'rate_limited', retryAfterMs: 60_000 });
    await turn(core, made, 'T-1', 'late');
    await until(async () => (await bindings(core))[0]?.fault === 'rate_limited');
    await turn(core, made, 'T-2', 'also late');
    const due = await core.rows<{ waits: number }>(
      `select due_at - ${core.database.dialect.now} as waits from errands where kind = 'post' and attempts > 0`,
    );
    expect(due[0]?.waits).toBeGreaterThan(50_000);
    expect(chat.threads.size).toBe(1);
    expect((await core.rows('select 1 as open from queues where open > 0')).length).toBe(0);
  });

  it('CTL-1 what an operator has to mend is a state of the binding, is announced once and never a loop', async () => {
    const core = open();
    const chat = new Chat();
    const made = await bench(core, chat);
    const alerts: string[] = [];
    made.signals.on('alert', (about) => alerts.push(about));
    chat.spoil('post', { state: 'forbidden' }, { state: 'forbidden' });
    const conversation = await turn(core, made, 'T-1', 'at last');
    await until(async () => (await bindings(core))[0]?.fault === 'forbidden');
    expect(await bindings(core)).toMatchObject([{ fault: 'forbidden', fault_message: 'the chat says forbidden' }]);
    await until(areDone(core));
    expect(alerts).toEqual(['control']);
    expect(await bindings(core)).toMatchObject([{ fault: null }]);
    expect(await core.rows("select kind, reason from notes where kind = 'alert' and conversation = ?", conversation)).toEqual([
      { kind: 'alert', reason: 'control: forbidden: the chat says forbidden' },
    ]);
    expect(chat.textsIn('T1')).toEqual(['at last']);
  });
});
