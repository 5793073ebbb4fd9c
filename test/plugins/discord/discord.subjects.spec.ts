import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CONTROL_COMMANDS, type ControlAction } from 'throughline/plugin';
import { actionOf, customIdOf } from '../../../plugins/discord/custom-id.js';
import { eventsOf } from '../../../plugins/discord/gateway-events.js';
import { APPLICATION, command, connection, dispatched, fixture, parse, parseRequest, press, subjects, TOKEN } from './discord.events.js';

const created = (change: object) => parse(dispatched('gateway.message_create.in-thread', { ...change }));

describe('a message at Discord', () => {
  it('IDN-1 is about its channel or thread, of its server, and is said in that thread', () => {
    expect(created({})).toMatchObject({
      kind: 'prompt',
      subject: { namespace: 'discord:200000000000000001', key: '200000000000000020' },
      thread: '200000000000000020',
      text: 'please rebase',
      author: { id: '100000000000000001', name: 'Octo Cat', handle: 'octocat', isBot: false },
      messageKey: '200000000000000020/300000000000000001',
    });
  });

  it('names files, stickers, polls and forwarded messages in its text', () => {
    const text = created({
      content: 'look',
      attachments: [{ id: '1', filename: 'log.txt', url: 'https://cdn.discordapp.com/x', size: 1 }],
      sticker_items: [{ id: '2', name: 'wave' }],
      poll: { question: { text: 'now?' } },
      message_snapshots: [{ message: { content: 'said elsewhere' } }],
    });
    expect(text).toMatchObject({ text: 'look\n[forwarded message] said elsewhere\n[poll] now?\n[sticker] wave\n[file] log.txt' });
  });

  it('a reply is a message; lines that Discord writes itself are not', () => {
    expect(created({ type: 19 }).kind).toBe('prompt');
    for (const type of [1, 4, 6, 7, 8, 12, 18, 21, 46])
      expect(created({ type })).toMatchObject({ kind: 'ignored', reason: 'system_message' });
  });

  it('without the intent for contents is recorded with a reason that names it', () => {
    expect(parse(dispatched('gateway.message_create.no-content-intent'))).toMatchObject({
      kind: 'recorded',
      reason: 'message_content_intent_missing',
    });
    expect(created({ content: '', embeds: [{ title: 'a link' }] })).toMatchObject({ kind: 'ignored', reason: 'no_text' });
  });

  it('of our own bot is known by the application, by the id in its token, and never by a name', () => {
    const bot = { id: '100000000000000009', username: 'agent', bot: true };
    expect(created({ author: bot })).toMatchObject({ kind: 'ignored', reason: 'own_message', author: { isSelf: true } });
    const byApplication = dispatched('gateway.message_create.in-thread', { author: { ...bot, id: '7' }, application_id: APPLICATION });
    expect(parse(byApplication)).toMatchObject({ reason: 'own_message' });
    const stranger = dispatched('gateway.message_create.in-thread', { author: { ...bot, id: '8' } });
    expect(parse(stranger)).toMatchObject({ kind: 'ignored', reason: 'bot_message', author: { isBot: true } });
    const person = dispatched('gateway.message_create.in-thread', { author: { id: '9', username: 'agent' } });
    expect(parse(person)).toMatchObject({ kind: 'prompt' });
    expect(parse(dispatched('gateway.message_create.own-bot'), { token: TOKEN })).toMatchObject({ reason: 'own_message' });
  });

  it('by a webhook is a bot’s, whatever it calls itself', () => {
    expect(created({ author: { id: '5', username: 'Ann' }, webhook_id: '5' })).toMatchObject({ kind: 'ignored', reason: 'bot_message' });
  });

  it('ACC-6 CTL-4 names its author by the username, which is one person’s alone, and never by what people call themselves', () => {
    const [id, global_name] = ['666', 'Octo Cat'];
    const author = (change: object) => created({ author: { id, global_name, username: 'eve', discriminator: '0', ...change } }).author;
    expect(author({})).toMatchObject({ id, name: 'Octo Cat', handle: 'eve' });
    expect(author({ discriminator: '1234' })).toMatchObject({ name: 'Octo Cat', handle: null });
    expect(created({ author: { id: '5', username: 'octocat', discriminator: '0' }, webhook_id: '5' }).author).toMatchObject({
      handle: null,
    });
    expect(parseRequest(press('appr:a:approve')).author).toMatchObject({ name: 'Octo Cat', handle: 'octocat' });
  });

  it('carries the author’s roles, so that routes may name them', () => {
    expect(created({ member: { roles: ['11', '12'] } })).toMatchObject({ author: { roles: ['11', '12'] } });
  });

  it('that was edited is an edit at the time of the edit; a preview that Discord adds is no event', () => {
    expect(parse(dispatched('gateway.message_update.edit'))).toMatchObject({
      kind: 'edit',
      text: 'please rebase now',
      messageKey: '200000000000000020/300000000000000001',
      revision: '2026-01-01T00:01:00.000Z',
    });
    expect(dispatched('gateway.message_update.edit', { edited_timestamp: null })).toBeUndefined();
  });

  it('that was deleted is withdrawn, each of many by itself', () => {
    expect(parse(dispatched('gateway.message_delete'))).toMatchObject({
      kind: 'withdrawal',
      messageKey: '200000000000000020/300000000000000001',
    });
    const bulk = eventsOf('MESSAGE_DELETE_BULK', { ids: ['1', '2', 3], channel_id: '20', guild_id: '10' });
    expect(bulk.map(({ deliveryId }) => deliveryId)).toEqual(['message.1.deleted', 'message.2.deleted']);
    expect(bulk.map((event) => parse(event))).toMatchObject([{ messageKey: '20/1' }, { messageKey: '20/2' }]);
  });

  it('outside of servers is recorded', () => {
    expect(created({ guild_id: undefined })).toEqual({ kind: 'recorded', reason: 'direct_message', subject: null });
  });
});

describe('a thread at Discord', () => {
  const metadata = (change: object) => ({
    thread_metadata: { ...(fixture('gateway.thread_create').d.thread_metadata as object), ...change },
  });
  const updated = (change: object) => parse(dispatched('gateway.thread_update.renamed-by-human', metadata(change)));

  it('that Discord archived by itself ends nothing', () => {
    expect(parse(dispatched('gateway.thread_update.archived-by-timeout'))).toMatchObject({ kind: 'recorded', reason: 'thread_archived' });
  });

  it('that a person closed or deleted has ended; opened again it is open', () => {
    expect(updated({ archived: true, locked: true, archive_timestamp: '2026-01-02T00:00:00.000000+00:00' })).toMatchObject({
      kind: 'lifecycle',
      observation: { state: 'terminal', reason: 'closed', revision: '2026-01-02T00:00:00.000Z', transition: true },
    });
    expect(updated({ archive_timestamp: '2026-01-03T00:00:00.000000+00:00' })).toMatchObject({
      observation: { state: 'open', revision: '2026-01-03T00:00:00.000Z', transition: false },
    });
    expect(parse(dispatched('gateway.thread_delete'))).toMatchObject({
      observation: { state: 'terminal', reason: 'deleted', revision: null },
    });
  });

  it('is known again when it is told again, and differs by what changed', () => {
    const ids = ['a', 'a', 'b'].map((name) => dispatched('gateway.thread_update.renamed-by-human', { name })?.deliveryId);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  it('that the bot merely was added to is no event', () => {
    expect(dispatched('gateway.thread_create', { newly_created: undefined })).toBeUndefined();
  });
});

describe('an interaction at Discord', () => {
  const reply = { application: APPLICATION, token: fixture('interaction.button.approve').token };

  it('a button is the action that it was made for, with a handle to answer by', () => {
    expect(parseRequest(fixture('interaction.button.approve'))).toMatchObject({
      kind: 'action',
      thread: '200000000000000020',
      author: { id: '100000000000000001', name: 'Octo Cat' },
      action: { type: 'decision', approval: '7f3a', decision: 'approve' },
      reply,
    });
  });

  it('a command is the action of its name', () => {
    for (const name of CONTROL_COMMANDS)
      expect(parseRequest(command(name))).toMatchObject({ kind: 'action', action: { type: 'command', name } });
    const options = [
      { name: 'approval', type: 3, value: 'ap-1' },
      { name: 'reason', type: 3, value: 'not today' },
    ];
    expect(parseRequest(command('deny', options))).toMatchObject({
      action: { type: 'decision', approval: 'ap-1', decision: 'deny', reason: 'not today' },
    });
  });

  it.each([
    ['a command of another name', command('dance')],
    ['an approval without its id', command('approve')],
    ['an id that is none', command('approve', [{ name: 'approval', value: 'a b' }])],
    ['a button of something else', press('buy:now')],
    ['a button that says more than was put in', press('appr:7f3a:approve:really')],
    ['a button without a decision', press('appr:7f3a:maybe')],
  ])('%s is recorded and does nothing', (_, payload) => {
    expect(parseRequest(payload)).toMatchObject({ kind: 'recorded', reason: 'unknown_interaction' });
  });

  it('every action that fits a button comes back as it was', () => {
    const decision = fc.record({
      type: fc.constant('decision' as const),
      approval: fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
      decision: fc.constantFrom('approve' as const, 'deny' as const),
    });
    const order = fc.record(
      { type: fc.constant('command' as const), name: fc.constantFrom(...CONTROL_COMMANDS), argument: fc.string({ maxLength: 120 }) },
      { requiredKeys: ['type', 'name'] },
    );
    fc.assert(
      fc.property(fc.oneof(decision, order), (action: ControlAction) => {
        const id = customIdOf(action);
        if (id === null) return expect(action.type).toBe('command');
        expect(id.length).toBeLessThanOrEqual(100);
        expect(actionOf(id)).toEqual(action);
      }),
    );
  });

  it('is the same by gateway and over HTTP, its id as well', () => {
    const body = fixture('interaction.button.approve');
    const [event] = eventsOf('INTERACTION_CREATE', body);
    expect(parse(event)).toEqual(parseRequest(body));
    expect(event).toMatchObject({ deliveryId: 'interaction.400000000000000002', uniqueContent: 'interaction.400000000000000002' });
  });
});

describe('the parser of Discord events', () => {
  it('ING-4 answers for any JSON under any event key', () => {
    const names = ['message.created', 'message.edited', 'message.deleted', 'thread.updated', 'thread.deleted', 'interaction.button', 'x'];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 4 }), (eventKey, payload) => {
        expect(subjects.parse({ eventKey, payload, connection: connection() })).toMatchObject({ kind: 'recorded' });
      }),
    );
  });

  it('ING-4 answers for recorded bodies in which any value is another', () => {
    const sample = fc.constantFrom('gateway.message_create.in-thread', 'gateway.message_update.edit', 'gateway.thread_create');
    const key = fc.constantFrom(
      'id',
      'author',
      'content',
      'type',
      'member',
      'attachments',
      'timestamp',
      'edited_timestamp',
      'thread_metadata',
    );
    fc.assert(
      fc.property(sample, key, fc.jsonValue({ maxDepth: 2 }), (name, changed, value) => {
        const event = dispatched(name, { [changed]: value });
        if (event) expect(Object.values(parse(event))).not.toContain(undefined);
      }),
    );
  });
});
