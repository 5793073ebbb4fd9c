import { expect, it } from '@jest/globals';
import type { AdmissionAnswer } from '../../../src/core/admission/event.js';
import { type DecisionRequest, type Decisions, NO_DECISIONS } from '../../../src/core/controls/decisions.js';
import type { Action, Author, ControlAction } from '../../../src/plugin/index.js';
import { closing, comment, event, opened, prompt, route } from '../../core/builders.js';
import { type Core, delivered, eachCore } from '../../core/core.js';
import { Chat } from '../../fakes/channel/index.js';
import { Bench, until } from '../harness.js';
import { areDone, chatBenches } from './shown.js';

const ADA: Author = { id: 'U1', name: 'ada', isBot: false };

eachCore('what people do in a thread', (open) => {
  const { bench } = chatBenches();

  const said = (text: string, change: { thread?: string; author?: Author; messageKey?: string; lead?: number } = {}) =>
    event({ ...prompt('a thread of its own', text, { thread: 'T1', author: ADA, ...change }) }, { source: 'chat', eventKey: 'message' });
  const pressed = (action: ControlAction, change: Partial<Action> = {}) =>
    event(
      { kind: 'action', subject: null, thread: 'T1', author: ADA, action, reply: { token: 'R1' }, ...change },
      { source: 'chat', eventKey: 'interaction' },
    );
  /** A conversation that is shown in T1. */
  const shown = async (core: Core, { runtime }: Bench) => {
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const turn = await runtime.next();
    turn.say({ type: 'session', id: 'the session' });
    turn.finish('Which one?');
    await until(async () => (await core.queue(conversation)).open === 0);
    await until(areDone(core));
    return conversation;
  };
  const outcome = ({ disposition, reason, deliveries }: AdmissionAnswer) => [disposition, reason, deliveries.length];

  it("CTL-3 a person's message in a bound thread is the next turn of its conversation, in the same session, and no route is asked", async () => {
    const core = open(route(), route({ name: 'chatter', source: 'chat' }));
    const chat = new Chat();
    const made = await bench(core, chat);
    const conversation = await shown(core, made);
    const answer = await core.admit(said('The second one.'));
    expect(answer).toMatchObject({ disposition: 'routed', deliveries: [{ conversation, route: null, sequence: 2 }] });
    const turn = await made.runtime.next();
    expect(turn.input).toMatchObject({
      session: 'the session',
      turn: { messages: [{ source: 'chat', text: 'The second one.', author: 'ada' }] },
    });
    turn.finish('Done.');
    await until(() => chat.textsIn('T1').length === 2);
    expect(chat.textsIn('T1')).toEqual(['Which one?', 'Done.']);
    expect(await core.count('conversations')).toBe(1);
  });

  it('CTL-3 a thread of nobody, or of another connection or org, is left to the routes', async () => {
    const core = open(route(), route({ name: 'chatter', source: 'chat' }));
    const made = await bench(core, new Chat());
    const conversation = await shown(core, made);
    const other = await core.admit(said('hello', { thread: 'T9' }));
    expect(other).toMatchObject({ disposition: 'routed', deliveries: [{ route: 'chatter' }] });
    expect(delivered(other).conversation).not.toBe(conversation);
    const elsewhere = await core.admit(event(prompt('x', 'hi', { thread: 'T1' }), { source: 'other chat' }));
    expect(outcome(elsewhere)).toEqual(['unmatched', 'no_route', 0]);
  });

  it('CTL-3 a message that comes before it is known whose thread it is in waits for that, and is then the conversation’s, or the routes’', async () => {
    const core = open(
      route(),
      route({ name: 'chatter', source: 'chat' }),
      route({ name: 'later', source: 'chat', activation: 'on_demand' }),
    );
    const chat = new Chat();
    const made = await bench(core, chat);
    // The thread is made, and the answer that names it is lost.
    chat.spoil('ensure', { lost: true });
    const { conversation } = delivered(await core.admit(comment('T-1')));
    (await made.runtime.next()).finish('Which one?');
    await until(async () => (await core.rows("select 1 as lost from errands where state = 'unknown'")).length === 1);
    expect([chat.threads.size, await core.rows('select thread from control_bindings')]).toEqual([1, [{ thread: null }]]);
    for (const [text, thread] of [
      ['The second one.', 'T1'],
      ['/pause', 'T1'],
      ['hello', 'T9'],
    ] as const)
      expect(outcome(await core.admit(said(text, { thread })))).toEqual(['recorded', 'thread_unsettled', 0]);
    await core.change("update errands set due_at = 1 where state = 'unknown'");
    made.signals.emit('errands');
    await until(async () => (await core.queue(conversation)).paused === 1);
    await until(async () => (await core.count('early_messages')) === 0);
    const [row] = await core.rows<{ text: string | null }>(
      'select text from deliveries where conversation = ? and sequence = 2',
      conversation,
    );
    expect(row).toBeDefined();
    const others = await core.rows<{ route: string; sequence: number }>(
      'select route, sequence from deliveries where conversation <> ?',
      conversation,
    );
    expect(others).toEqual([{ route: 'chatter', sequence: 1 }]);
    expect(await core.count('kept_events')).toBe(1);
    expect(chat.threads.size).toBe(1);
  });

  it('CTL-3 bots and our own identity are kept out, and so is whom a route of the workspace at this connection does not name', async () => {
    const chat = new Chat();
    const core = open(route());
    const made = await bench(core, chat);
    await shown(core, made);
    expect(outcome(await core.admit(said('beep', { author: { ...ADA, isBot: true } })))).toEqual(['ignored', 'author_bot', 0]);
    expect(outcome(await core.admit(said('me', { author: { ...ADA, isSelf: true } })))).toEqual(['ignored', 'author_self', 0]);
    const strict = core.with(
      route(),
      route({ name: 'chatter', source: 'chat', authors: { allowSelf: false, allowBots: false, allow: ['U2'] } }),
    );
    expect(outcome(await strict.admit(said('let me')))).toEqual(['ignored', 'author_not_allowed', 0]);
    expect(outcome(await strict.admit(said('/stop')))).toEqual(['ignored', 'author_not_allowed', 0]);
    expect(outcome(await strict.admit(said('I may', { author: { ...ADA, id: 'U2' } })))).toEqual(['routed', null, 1]);
    expect(await core.rows("select id from errands where kind = 'action'")).toEqual([]);
  });

  it('FIF-8 CTL-3 a command in words is no message, does not wait behind a turn, and is answered in the thread', async () => {
    const core = open();
    const chat = new Chat();
    const made = await bench(core, chat);
    const conversation = await shown(core, made);
    delivered(await core.admit(comment('T-1', 'again')));
    const turn = await made.runtime.next();
    expect(outcome(await core.admit(said(' /stop ')))).toEqual(['recorded', 'command', 0]);
    await until(() => turn.isAborted);
    await until(() => chat.textsIn('T1').includes('Stopped.'));
    expect(await core.outcomes(conversation)).toEqual(['prompt done', 'prompt interrupted']);
    await core.admit(said('/stop'));
    await until(() => chat.textsIn('T1').includes('Not possible: no turn is running in this conversation.'));
    await core.admit(said('/status'));
    await until(() => chat.textsIn('T1').includes('Open: idle.'));
    expect(outcome(await core.admit(said('/compact the context')))).toEqual(['routed', null, 1]);
    const lead = 'ada wrote in T-1.\n\n';
    expect(outcome(await core.admit(said(`${lead}/status`)))).toEqual(['routed', null, 1]);
    expect(outcome(await core.admit(said(`${lead}/status`, { lead: lead.length })))).toEqual(['recorded', 'command', 0]);
  });

  it('CTL-3 a command that is written about the subject at the channel itself is its conversation’s, once, as whichever event it comes first', async () => {
    const core = open(route(), route({ name: 'chatter', source: 'chat' }));
    const chat = new Chat();
    const made = await bench(core, chat);
    await shown(core, made);
    const outside = (text: string, messageKey: string, key = 'T-1') =>
      event(prompt(key, text, { author: ADA, messageKey }), { source: 'chat', eventKey: 'comment' });
    expect(outcome(await core.admit(outside('/status', 'c1')))).toEqual(['recorded', 'command', 0]);
    expect(outcome(await core.admit(said('/status', { messageKey: 'c1' })))).toEqual(['recorded', 'command', 0]);
    expect(outcome(await core.admit(said('/status', { messageKey: 'c2' })))).toEqual(['recorded', 'command', 0]);
    expect(outcome(await core.admit(outside('/status', 'c2')))).toEqual(['recorded', 'command', 0]);
    await until(areDone(core));
    expect(chat.textsIn('T1').filter((text) => text !== 'Which one?')).toHaveLength(2);
    // What is no command, or about a subject that is not shown there, is for the routes.
    expect(outcome(await core.admit(outside('hello', 'c3')))).toEqual(['routed', null, 1]);
    expect(outcome(await core.admit(outside('/status', 'c4', 'T-2')))).toEqual(['routed', null, 1]);
  });

  it('CTL-3 an action is carried out once for a receipt, also when it is replayed, and answered in the way of its channel', async () => {
    const core = open();
    const chat = new Chat();
    const made = await bench(core, chat);
    const conversation = await shown(core, made);
    const action = pressed({ type: 'command', name: 'pause' });
    const { receipt } = await core.admit(action);
    await until(() => chat.answers.length === 1);
    expect(chat.answers).toEqual(['R1: Paused: nothing more is begun until /resume.']);
    expect((await core.queue(conversation)).paused).toBe(1);
    expect((await core.admit(action)).duplicate).toBe(true);
    await core.admissions.replay({ org: 'default', receipt: Number(receipt), by: 'ada', routes: null, force: false });
    await until(areDone(core));
    expect(await core.rows("select id from notes where kind = 'pause'")).toHaveLength(1);
    expect(chat.answers).toHaveLength(1);
    await core.admit(pressed({ type: 'command', name: 'resume' }));
    await until(async () => (await core.queue(conversation)).paused === 0);
  });

  it('CTL-3 an action in a foreign thread is refused with a reason, and whoever waits for an answer gets one', async () => {
    const core = open();
    const chat = new Chat();
    const made = await bench(core, chat);
    await shown(core, made);
    const answer = await core.admit(pressed({ type: 'command', name: 'reset' }, { thread: 'T7' }));
    expect(outcome(answer)).toEqual(['ignored', 'unbound_thread', 0]);
    await until(() => chat.answers.length === 1);
    expect(chat.answers).toEqual(['R1: This thread belongs to no conversation here.']);
  });

  it('CTL-3 a command of somebody who may not is not carried out, and they are told; how it stands may be asked by everybody', async () => {
    const core = open();
    const chat = new Chat();
    const decisions: Decisions = { ...NO_DECISIONS, refusal: async (_, { by }) => `${by.name} may not.` };
    const made = await bench(core, chat, { decisions });
    const conversation = await shown(core, made);
    await core.admit(said('/pause'));
    await until(() => chat.textsIn('T1').includes('ada may not.'));
    await core.admit(pressed({ type: 'command', name: 'reset' }));
    await until(() => chat.answers.length === 1);
    expect(chat.answers).toEqual(['R1: ada may not.']);
    await core.admit(said('/status'));
    await until(() => chat.textsIn('T1').some((text) => /idle/i.test(text)));
    expect((await core.queue(conversation)).paused).toBe(0);
    expect(await core.rows("select id from notes where kind in ('pause', 'reset')")).toEqual([]);
  });

  it('CTL-4 a decision in words or by a button goes to whoever knows of approvals, with the thread and the person', async () => {
    const core = open();
    const chat = new Chat();
    const asked: DecisionRequest[] = [];
    const decisions: Decisions = {
      refusal: async () => null,
      decide: async (_, request) => {
        asked.push(request);
        return { text: `${request.decision} ${request.approval}` };
      },
    };
    const made = await bench(core, chat, { decisions });
    const conversation = await shown(core, made);
    await core.admit(said('/deny A-1 not on a friday'));
    await until(() => chat.textsIn('T1').includes('deny A-1'));
    await core.admit(pressed({ type: 'decision', approval: 'A-2', decision: 'approve' }));
    await until(() => chat.answers.length === 1);
    expect(asked).toEqual([
      {
        org: 'default',
        conversation,
        connection: 'chat',
        thread: 'T1',
        approval: 'A-1',
        decision: 'deny',
        reason: 'not on a friday',
        by: ADA,
      },
      { org: 'default', conversation, connection: 'chat', thread: 'T1', approval: 'A-2', decision: 'approve', reason: null, by: ADA },
    ]);
  });

  it('TRM-5 CTL-5 the end archives the thread without looking it up, and what is then said there is told how to go on', async () => {
    const core = open();
    const chat = new Chat();
    const made = await bench(core, chat);
    const conversation = await shown(core, made);
    await core.admit(closing('T-1', 10));
    await until(() => chat.threads.get('T1')?.isArchived === true);
    const looks = () => chat.calls.filter((call) => call.startsWith('ensure')).length;
    expect(looks()).toBe(1);
    expect(outcome(await core.admit(said('but one more thing')))).toEqual(['ignored', 'terminal', 0]);
    await until(() => chat.textsIn('T1').length === 2);
    await until(areDone(core));
    expect(chat.textsIn('T1')[1]).toBe('This conversation is closed at tracker; /reopen to continue.');
    expect(chat.threads.get('T1')?.isArchived).toBe(true);
    expect(looks()).toBe(1);
    await core.admit(said('/reopen'));
    await until(async () => (await core.conversation(conversation)).state === 'open');
    await until(areDone(core));
    expect(chat.threads.get('T1')?.isArchived).toBe(false);
    expect(chat.calls).toContain('unarchive T1');
  });

  it('TRM-6 CTL-5 a newer open state of the provider opens the thread again, and its conversation goes on in it', async () => {
    const core = open();
    const chat = new Chat();
    const made = await bench(core, chat);
    const conversation = await shown(core, made);
    await core.admit(closing('T-1', 10));
    await core.admit(event(prompt('T-1', 'reopened it', { observation: opened(20) })));
    (await made.runtime.next()).finish('Here again.');
    await until(() => chat.textsIn('T1').length === 2);
    await until(areDone(core));
    expect(chat.threadsOf(conversation)).toHaveLength(1);
    expect(chat.threads.get('T1')?.isArchived).toBe(false);
  });

  it('TRM-4 an end that comes before anything was shown makes no thread', async () => {
    const core = open();
    const chat = new Chat();
    const made = await bench(core, chat);
    await core.admit(closing('T-1', 10));
    await until(async () => (await core.rows("select id from jobs where state in ('waiting', 'running')")).length === 0);
    await made.errands.stop();
    expect(chat.calls).toEqual([]);
    expect(await core.count('control_bindings')).toBe(0);
  });

  it('CTL-6 what wakes an agent is acknowledged by its own channel at once, and what is refused is not', async () => {
    const core = open().talking(route(), route({ name: 'quiet', source: 'silent', wake: false }));
    const chat = new Chat();
    await bench(core, chat);
    await core.admit(event(prompt('T-1', 'hello', { messageKey: 'm1' })));
    await core.admit(event(prompt('T-1', 'hello', { messageKey: 'm1' })));
    await core.admit(event(prompt('T-1', 'psst', { messageKey: 'm2' }), { source: 'silent' }));
    await core.admit(event(prompt('T-1', 'beep', { messageKey: 'm3', author: { ...ADA, isBot: true } })));
    await until(() => chat.acknowledged.length > 0);
    await until(async () => (await core.rows("select id from errands where kind = 'acknowledge' and ended_at is null")).length === 0);
    expect(chat.acknowledged).toEqual(['tracker - m1']);
  });
});
