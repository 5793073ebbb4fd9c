import { expect, it } from '@jest/globals';
import { claimErrands } from '../../../src/core/controls/claim-errands.js';
import { recover } from '../../../src/core/recovery/recover.js';
import { enlist } from '../../../src/core/replicas/replicas.js';
import { comment } from '../../core/builders.js';
import { delivered, eachCore, replica } from '../../core/core.js';
import { Chat } from '../../fakes/channel/index.js';
import { until } from '../harness.js';
import { areDone, chatBenches } from './shown.js';

const NOBODY = { isRunning: async () => true, endProcess: async () => undefined };

eachCore('output as it comes', (open) => {
  const { bench, forget } = chatBenches();

  const texts = (chat: Chat) => chat.textsIn('T1');

  it('TRN-8 one message grows by edits while the turn runs, with what it is doing below, and ends as the whole text', async () => {
    const core = open();
    const chat = new Chat();
    const { runtime } = await bench(core, chat);
    await core.admit(comment('T-1'));
    const turn = await runtime.next();
    turn.say({ type: 'text', text: 'I look at it.' });
    await until(() => texts(chat).length === 1);
    expect(texts(chat)).toEqual(['I look at it.']);
    turn.say({ type: 'tool', name: 'read_file' });
    await until(() => texts(chat)[0] === 'I look at it.\n\n_read_file_');
    turn.say({ type: 'text', text: ' It is broken.' });
    turn.finish('I look at it. It is broken.');
    await until(() => texts(chat)[0] === 'I look at it. It is broken.');
    await until(areDone(core));
    expect(texts(chat)).toHaveLength(1);
    expect(chat.calls.filter((call) => call.startsWith('post'))).toHaveLength(1);
  });

  it('TRN-8 a result that was not said on the way stands below what was', async () => {
    const core = open();
    const chat = new Chat();
    const { runtime } = await bench(core, chat);
    await core.admit(comment('T-1'));
    const turn = await runtime.next();
    turn.say({ type: 'text', text: 'Thinking.' });
    turn.finish('Answer.');
    await until(() => texts(chat)[0] === 'Thinking.\n\nAnswer.');
  });

  it('TRN-8 fifty thousand characters come in messages of the length that the channel takes, without a half character', async () => {
    const core = open();
    const chat = new Chat();
    const { runtime } = await bench(core, chat, {}, { title: 100, text: 2000, editMs: 50 });
    await core.admit(comment('T-1'));
    const turn = await runtime.next();
    const text = '😀 word '.repeat(6250);
    for (let at = 0; at < text.length; at += 10_001) turn.say({ type: 'text', text: text.slice(at, at + 10_001) });
    turn.finish(text);
    await until(areDone(core));
    await until(() => texts(chat).length > 24);
    await until(areDone(core));
    expect(texts(chat).every((part) => part.length <= 2000 && part.isWellFormed())).toBe(true);
    expect(texts(chat).join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
  });

  it('TRN-8 a channel that cannot edit is given the whole when it is complete', async () => {
    const core = open();
    const chat = new Chat();
    const { runtime } = await bench(core, chat, {}, { title: 100, text: 2000, editMs: null });
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const turn = await runtime.next();
    turn.say({ type: 'text', text: 'Half ' });
    turn.say({ type: 'session', id: 'kept' });
    await until(async () => (await core.conversation(conversation)).session === 'kept');
    turn.say({ type: 'text', text: 'and half.' });
    turn.finish('Half and half.');
    await until(areDone(core));
    await until(() => texts(chat).length === 1);
    expect(chat.calls.filter((call) => /post|edit/.test(call))).toEqual(['post T1']);
  });

  it('TRN-8 REC-1 after a restart in its middle the next try goes on in the same message', async () => {
    const core = open();
    const chat = new Chat();
    const before = await bench(core, chat);
    const { conversation } = delivered(await core.admit(comment('T-1')));
    (await before.runtime.next()).say({ type: 'text', text: 'I have begun to' });
    await until(() => texts(chat).length === 1);
    await before.stop();
    forget();
    await core.makeDue(conversation);
    const after = await bench(core, chat, { self: replica('worker', { pid: 778 }) });
    const turn = await after.runtime.next();
    turn.say({ type: 'text', text: 'Again from the start.' });
    turn.finish('Again from the start.');
    await until(() => texts(chat)[0] === 'Again from the start.');
    await until(areDone(core));
    expect(texts(chat)).toHaveLength(1);
  });

  it('TRN-8 a message that somebody deleted is posted anew when it changes', async () => {
    const core = open();
    const chat = new Chat();
    const { runtime } = await bench(core, chat);
    await core.admit(comment('T-1'));
    const turn = await runtime.next();
    turn.say({ type: 'text', text: 'One' });
    await until(() => texts(chat).length === 1);
    await until(areDone(core));
    chat.deleteMessages('T1');
    turn.say({ type: 'text', text: ' and two.' });
    turn.finish('One and two.');
    await until(() => texts(chat)[0] === 'One and two.');
  });

  it('REC-1 what a dead replica was posting is looked for by the next one, once, and written if it is not there', async () => {
    const core = open();
    const chat = new Chat();
    const made = await bench(core, chat);
    const { conversation } = delivered(await core.admit(comment('T-1')));
    await made.errands.stop();
    (await made.runtime.next()).finish('Said.');
    await until(async () => (await core.queue(conversation)).open === 0);
    const dead = await core.database.transaction((tx) => enlist(tx, replica('dead', { pid: 1 }), 600_000));
    const taken = await core.database.transaction((tx) => claimErrands(tx, { owner: dead, busy: [], limit: 9 }));
    expect(taken).toMatchObject([{ kind: 'post', state: 'writing' }]);
    expect(await core.database.transaction((tx) => claimErrands(tx, { owner: core.owner, busy: [], limit: 9 }))).toEqual([]);
    await core.change('update replicas set lease_until = 0 where id = ?', dead);
    const self = { ...replica('worker', { pid: 777 }), id: core.owner };
    const { repaired } = await recover(core.database, self, NOBODY);
    expect(repaired.errands).toBe(1);
    const next = await bench(core, chat, { self: replica('next', { pid: 779 }) });
    await until(areDone(core));
    expect(texts(chat)).toEqual(['Said.']);
    expect(chat.calls.filter((call) => /post|find/.test(call))).toEqual(['find T1', 'post T1']);
    expect(next.runtime.begun).toHaveLength(0);
  });

  it('CTL-2 IDN-4 another parent in the configuration moves the thread: same conversation and session, and the one before is archived', async () => {
    const core = open();
    const chat = new Chat();
    const before = await bench(core, chat);
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const first = await before.runtime.next();
    first.say({ type: 'session', id: 'the session' });
    first.finish('Here.');
    await until(() => texts(chat).length === 1);
    await before.stop();
    forget();
    const limits = { title: 100, text: 2000, editMs: 20 };
    const moved = { control: { connection: 'chat', parent: 'C2', limits } };
    const after = await bench(core, chat, { self: replica('worker', { pid: 778 }), workspaces: [moved] });
    await core.admit(comment('T-1', 'again'));
    const second = await after.runtime.next();
    expect(second.input).toMatchObject({ session: 'the session', conversation: { id: conversation } });
    second.finish('There.');
    await until(() => chat.textsIn('T2').length === 1);
    await until(areDone(core));
    expect(chat.threads.get('T2')).toMatchObject({ parent: 'C2', marker: conversation });
    expect(chat.threads.get('T1')?.isArchived).toBe(true);
    expect(texts(chat)).toEqual(['Here.']);
  });
});
