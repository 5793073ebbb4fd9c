import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fixturesIn, fixtureText } from '../golden.js';
import { formRequest, type Json, message, parse, parseRequest, slackFixture } from './slack.requests.js';

const THREAD = { namespace: 'slack:T0001', key: 'T0001/C0001/1767225600.000100' };

describe('the subject of a Slack event', () => {
  it('IDN-1 is the thread: its root and every reply, edit, deletion and mention in it', () => {
    const names = ['message.root', 'message.thread-reply', 'app_mention.in-thread', 'message.own-bot-echo'];
    for (const name of [...names, 'message_changed.edit', 'message_changed.unfurl-only', 'message_changed.tombstone-root-deleted']) {
      expect(parse(slackFixture(name)).subject).toEqual(THREAD);
    }
  });

  it('IDN-1 B64 is one for one place, whatever shape the event about it has', () => {
    const ts = fc.tuple(fc.nat(), fc.nat(999_999)).map(([seconds, part]) => `${seconds}.${String(part).padStart(6, '0')}`);
    const id = fc.stringMatching(/^[CDG][A-Z0-9]{1,10}$/);
    fc.assert(
      fc.property(ts, ts, id, fc.boolean(), (root, reply, channel, isReply) => {
        const said: Json = { ts: isReply ? reply : root, user: 'U1', text: 'hi', ...(isReply ? { thread_ts: root } : {}) };
        const event = { channel, event_ts: reply, ts: reply };
        const shapes: Json[] = [
          { type: 'app_mention', channel, ...said },
          { type: 'message', channel, ...said },
          { type: 'message', subtype: 'file_share', channel, ...said },
          { type: 'message', subtype: 'message_changed', ...event, message: said },
          { type: 'message', subtype: 'message_deleted', ...event, deleted_ts: said.ts, previous_message: said },
        ];
        const subjects = shapes.map((shape) => parse({ ...slackFixture('message.root'), event: shape }).subject);
        expect(subjects).toEqual(shapes.map(() => ({ namespace: 'slack:T0001', key: `T0001/${channel}/${root}` })));
      }),
    );
  });

  it('IDN-1 B65 is another one for every message outside of threads', () => {
    expect(parse(message({ ts: '1.1' })).subject?.key).toBe('T0001/C0001/1.1');
    expect(parse(message({ ts: '1.2' })).subject?.key).toBe('T0001/C0001/1.2');
  });

  it('IDN-1 keeps the digits of a timestamp', () => {
    expect(parse(message({ ts: '1767225600.000010' })).subject?.key).not.toBe(parse(message({ ts: '1767225600.00001' })).subject?.key);
  });

  it('SLK-1 takes the authorised team for the tenant, not the team of the author', () => {
    expect(parse(slackFixture('message.slack-connect')).subject).toEqual(THREAD);
  });

  it('SLK-1 takes the organisation for the tenant where the app is installed for all of it', () => {
    expect(parse(slackFixture('message.enterprise-grid')).subject).toEqual({
      namespace: 'slack:E0001',
      key: 'E0001/C0001/1767225600.000100',
    });
  });

  it('SLK-1 falls back to the context team and then to the outer team', () => {
    const tenant = (body: Json) => parse(message({}, body)).subject?.namespace;
    expect(tenant({ authorizations: [], context_team_id: 'T2', team_id: 'T3' })).toBe('slack:T2');
    expect(tenant({ authorizations: undefined, context_team_id: null, team_id: 'T3' })).toBe('slack:T3');
    expect(tenant({ authorizations: undefined, context_team_id: null, team_id: null })).toBeUndefined();
  });

  it.each([
    ['a number for a timestamp', { ts: 1767225600.0001 }],
    ['a number for the timestamp of its thread', { thread_ts: 1767225600.0001 }],
    ['a timestamp that is none', { ts: 'soon' }],
    ['no timestamp', { ts: undefined }],
    ['a channel that would break the key', { channel: 'C1/2' }],
    ['no channel', { channel: null }],
    ['no author', { user: undefined }],
  ])('ING-4 has an invalid shape with %s', (_, event) => {
    expect(parse(message(event))).toMatchObject({ kind: 'recorded', reason: 'invalid_shape', subject: null });
  });
});

describe('what wakes an agent in Slack', () => {
  it('SLK-1 ACC-9 is a mention, which may start a conversation, and a message, which only joins one', () => {
    const [mention, plain] = [parse(slackFixture('app_mention.root')), parse(slackFixture('message.root'))];
    expect(mention).toMatchObject({ kind: 'prompt', text: '<@U0BOT> fix it' });
    expect(mention).not.toHaveProperty('continueOnly');
    expect(plain).toMatchObject({ kind: 'prompt', continueOnly: true });
  });

  it('ACC-7 B1 is one message, although Slack sends two events about it', () => {
    const [mention, plain] = [parse(slackFixture('app_mention.root')), parse(slackFixture('message.same-as-app_mention-root'))];
    expect(mention).toMatchObject({ kind: 'prompt', messageKey: 'T0001/C0001/1767225800.000300' });
    expect(plain).toMatchObject({ kind: 'prompt', messageKey: 'T0001/C0001/1767225800.000300', subject: mention.subject });
  });

  it.each(['im', 'mpim', 'app_home'])('SLK-1 is any message of a person in %s, where nobody is to be mentioned', (channelType) => {
    expect(parse(message({ channel_type: channelType, channel: 'D1' }))).not.toHaveProperty('continueOnly');
  });

  it.each(['file_share', 'thread_broadcast', 'me_message'])('SLK-1 is a message with the subtype %s too', (subtype) => {
    expect(parse(message({ subtype }))).toMatchObject({ kind: 'prompt', text: 'hello', continueOnly: true });
  });

  it('SLK-1 tells the names of files and the text of shared messages', () => {
    const files = [{ name: 'a.png' }, { title: 'plan' }, {}, 7];
    const attachments = [
      { is_share: true, text: 'it broke' },
      { from_url: 'https://example.com', fallback: 'preview' },
    ];
    expect(parse(message({ text: '', files, attachments }))).toMatchObject({
      text: '[shared message] it broke\n[file] a.png\n[file] plan\n[file] without a name',
    });
  });

  it('SLK-1 is no message without words', () => {
    expect(parse(message({ text: ' ' }))).toMatchObject({ kind: 'ignored', reason: 'no_text' });
  });

  it('SLK-1 is no message of our own', () => {
    const echo = slackFixture('message.own-bot-echo');
    expect(parse(echo)).toMatchObject({ kind: 'ignored', reason: 'own_message', author: { isSelf: true, isBot: true } });
    expect(parse({ ...echo, api_app_id: 'A0009' })).toMatchObject({ reason: 'bot_message' });
    expect(parse({ ...echo, api_app_id: 'A0009' }, { appId: 'A0001' })).toMatchObject({ reason: 'own_message' });
    expect(parse(message({ user: 'U0BOT' }), { botUserId: 'U0BOT' })).toMatchObject({ reason: 'own_message' });
  });

  it('SLK-1 is no message of another bot, nor a mention by one, nor of Slackbot', () => {
    expect(parse(slackFixture('message.other-bot-classic'))).toMatchObject({
      kind: 'ignored',
      reason: 'bot_message',
      author: { id: 'B0999', name: 'ci' },
    });
    expect(parse(message({ type: 'app_mention', bot_id: 'B0999' }))).toMatchObject({ kind: 'ignored', reason: 'bot_message' });
    expect(parse(message({ bot_profile: { id: 'B0999', name: 'CI' } }))).toMatchObject({ kind: 'ignored', reason: 'bot_message' });
    expect(parse(message({ user: 'USLACKBOT' }))).toMatchObject({ kind: 'ignored', reason: 'bot_message' });
  });

  it('ACC-6 is no bot because its id is asked for: a person stays a person', () => {
    expect(parse(message({ app_id: 'A0001' })).author).toEqual({
      id: 'U0001',
      name: 'U0001',
      handle: null,
      isBot: false,
      roles: ['member'],
    });
    const mona = parse(message({ user_profile: { display_name: 'mona' } })).author;
    expect(mona).toMatchObject({ id: 'U0001', name: 'mona', handle: null, isBot: false });
  });

  it('ACC-6 says of which side of a shared channel its author is, where Slack does', () => {
    const rolesOf = (body: Json) => parse(body).author?.roles;
    const shared = slackFixture('message.slack-connect');
    expect(rolesOf(slackFixture('message.root'))).toEqual(['member']);
    expect(rolesOf(shared)).toEqual(['external']);
    expect(rolesOf({ ...shared, event: { ...shared.event, user_team: 'T0001' } })).toEqual(['member']);
    expect(rolesOf({ ...slackFixture('message.enterprise-grid'), is_ext_shared_channel: true })).toBeUndefined();
    expect(rolesOf({ ...shared, event: { ...(message({}).event as Json), team: undefined } })).toBeUndefined();
  });

  it('ACC-8 B79 is no edit, no preview of a link, and no deletion: they tell of the message that was', () => {
    const reasons = ['message_changed.edit', 'message_changed.unfurl-only', 'message_changed.tombstone-root-deleted', 'message_deleted'];
    expect(reasons.map((name) => parse(slackFixture(name)))).toMatchObject([
      { kind: 'edit', messageKey: 'T0001/C0001/1767225600.000100', text: 'hello (edited)', revision: '1767226200.000700' },
      { kind: 'ignored', reason: 'no_text_change' },
      { kind: 'withdrawal', messageKey: 'T0001/C0001/1767225600.000100' },
      { kind: 'withdrawal', messageKey: 'T0001/C0001/1767225700.000200' },
    ]);
    const edit = slackFixture('message_changed.edit') as { event: { message: object } };
    const byBot = { ...edit, event: { ...edit.event, message: { ...edit.event.message, bot_id: 'B0999' } } };
    expect(parse(byBot)).toMatchObject({ kind: 'ignored', reason: 'bot_message' });
  });

  it('SLK-1 is no line that Slack itself writes', () => {
    expect(parse(message({ subtype: 'channel_join' }))).toMatchObject({ kind: 'ignored', reason: 'system_message' });
    expect(parse(message({ subtype: 'brand_new' }))).toMatchObject({ kind: 'recorded', reason: 'unknown_event' });
    expect(parse(slackFixture('reaction_added'))).toMatchObject({ kind: 'ignored', reason: 'reaction' });
  });

  it('SLK-1 gives the title of a thread only with its root or a mention', () => {
    expect(parse(message({ text: `<@U1> ${'words '.repeat(50)}` })).title).toMatch(/^C0001: words words/);
    expect(Array.from(parse(message({ text: '🔧'.repeat(200) })).title ?? '')).toHaveLength(100);
    expect(parse(slackFixture('message.thread-reply'))).not.toHaveProperty('title');
  });
});

describe('what Slack sends beside messages', () => {
  it('TRM-1 ends nothing: archiving a channel closes none of its threads', () => {
    expect(parse(slackFixture('channel_archive'))).toMatchObject({ kind: 'recorded', reason: 'channel_event', subject: null });
  });

  it('ING-4 is recorded with a reason: notices, interactions, commands, what is not known', () => {
    const command = formRequest(fixtureText('slack/constructed/slash_command.form-urlencoded.txt'));
    expect(parse(slackFixture('app_rate_limited'))).toMatchObject({ kind: 'recorded', reason: 'app_rate_limited' });
    expect(parse(slackFixture('block_actions.approve'))).toMatchObject({ kind: 'recorded', reason: 'interaction_not_supported' });
    expect(parseRequest(command)).toMatchObject({ kind: 'recorded', reason: 'command_not_supported' });
    expect(parse({ type: 'brand_new' })).toMatchObject({ kind: 'recorded', reason: 'unknown_event' });
    expect(parse(message({ type: '__proto__' }))).toMatchObject({ kind: 'recorded', reason: 'unknown_event' });
    expect(parse(message({ type: 7 }))).toMatchObject({ kind: 'recorded', reason: 'invalid_shape' });
  });

  it('SLK-1 gives the same out of the envelope of a socket as over HTTP', () => {
    const mention = slackFixture('app_mention.root');
    const envelope = { envelope_id: 'e-1', type: 'events_api', payload: mention, retry_attempt: 2, retry_reason: 'timeout' };
    expect(JSON.stringify(parse(envelope.payload))).toBe(JSON.stringify(parse(mention)));
  });
});

describe('the Slack parser', () => {
  const bodies = [...fixturesIn('slack/constructed'), ...fixturesIn('slack/bolt-python')].map(
    (name) => JSON.parse(fixtureText(name)) as Json,
  );

  it('is total: any JSON has an answer that equals its own JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (payload) => {
        const parsed = parse(payload);
        expect(JSON.parse(JSON.stringify(parsed))).toStrictEqual(parsed);
      }),
    );
  });

  it('is total: a recorded body with anything anywhere has an answer that equals its own JSON', () => {
    const mutation = fc.tuple(fc.constantFrom(...bodies), fc.nat(), fc.jsonValue());
    fc.assert(
      fc.property(mutation, ([body, place, value]) => {
        const parsed = parse(replaceAt(body, place, value));
        expect(JSON.parse(JSON.stringify(parsed))).toStrictEqual(parsed);
      }),
      { numRuns: 1000 },
    );
  });
});

/** A copy of the JSON in which one value, counted in the order of reading, is another. */
function replaceAt(json: unknown, place: number, value: unknown): unknown {
  let at = place % JSON.stringify(json).split(/[:,]/).length;
  return JSON.parse(JSON.stringify(json), (_, old) => (at-- === 0 ? value : old));
}
