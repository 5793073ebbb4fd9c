import { afterEach, expect, it } from '@jest/globals';
import { inThread } from '../../../src/core/approvals/approval-post.js';
import { ThreadDecisions } from '../../../src/core/approvals/thread-decisions.js';
import { HOUR, Office } from '../../core/approvals/desk.js';
import { comment, event, prompt } from '../../core/builders.js';
import { type Core, delivered, eachCore } from '../../core/core.js';
import { Chat, ChatChannel } from '../../fakes/channel/index.js';
import { until } from '../harness.js';
import { areDone, chatBenches } from './shown.js';

eachCore('where people are asked', (open) => {
  const { bench } = chatBenches();
  let office: Office;
  afterEach(() => office.stop());

  const shown = async (core: Core, chat: Chat) => {
    const { limits } = new ChatChannel(chat);
    office = new Office(
      core,
      HOUR,
      inThread(() => ({ connection: 'chat', parent: 'C1', limits })),
    );
    const made = await bench(core, chat, {
      decisions: new ThreadDecisions(office.desk, () => ({ route: null, ofWorkspace: ['ada'], insiders: null })),
    });
    const turn = async (text: string) => {
      const { conversation } = delivered(await core.admit(comment('T-1', text)));
      (await made.runtime.next()).finish(text);
      await until(async () => (await core.queue(conversation)).open === 0);
      await until(areDone(core));
      return conversation;
    };
    return turn;
  };
  const askedIn = async (id: string) => {
    const { asked_connection, asked_thread } = await office.row(id);
    return [asked_connection, asked_thread];
  };
  const said = (text: string, thread: string) => {
    const author = { id: 'U1', name: 'ada', isBot: false };
    return event(prompt('x', text, { thread, author }), { source: 'chat', eventKey: 'message' });
  };

  it('CTL-4 an approval knows the thread in which it was asked, and is decided in no other', async () => {
    const core = open();
    const chat = new Chat();
    const turn = await shown(core, chat);
    const conversation = await turn('Hello.');
    const { id } = await office.ask(conversation);
    expect(await askedIn(id)).toEqual(['chat', 'T1']);
    await core.change('update approvals set asked_thread = ? where id = ?', 'T0', id);
    await core.admit(said(`/approve ${id}`, 'T1'));
    await until(() => chat.textsIn('T1').includes('This was asked in another thread; decide there, or through the API.'));
    expect(await office.state(id)).toBe('pending');
    expect(await office.decide(id)).toMatchObject({ is: 'decided' });
  });

  it('CTL-4 one that is asked before there is a thread is bound to the one in which it is shown first', async () => {
    const core = open();
    const chat = new Chat();
    await shown(core, chat);
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const { id } = await office.ask(conversation);
    await until(areDone(core));
    expect(await askedIn(id)).toEqual(['chat', 'T1']);
  });

  it('CTL-2 CTL-4 what waits for a person is asked again in the thread that replaces a deleted one, and decided there', async () => {
    const core = open();
    const chat = new Chat();
    const turn = await shown(core, chat);
    const conversation = await turn('Hello.');
    const [open_, decided] = [await office.ask(conversation, 'one'), await office.ask(conversation, 'two')];
    await until(areDone(core));
    await office.decide(decided.id, 'deny');
    await until(areDone(core));
    expect(chat.textsIn('T1')).toHaveLength(3);
    chat.threads.delete('T1');
    await turn('Once more.');
    await until(() => chat.textsIn('T2').length === 2);
    expect(chat.textsIn('T2').filter((text) => text.includes('A person is asked'))).toHaveLength(1);
    expect([await askedIn(open_.id), await askedIn(decided.id)]).toEqual([
      ['chat', 'T2'],
      ['chat', 'T1'],
    ]);
    expect((await core.admit(said(`/approve ${open_.id}`, 'T1'))).deliveries).toEqual([]);
    await core.admit(said(`/approve ${open_.id}`, 'T2'));
    await until(async () => (await office.state(open_.id)) === 'approved');
  });
});
