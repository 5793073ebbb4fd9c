import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ChannelFault, type Connection, type ControlPost, type ControlThread, OutcomeUnknown, type WantedThread } from 'throughline/plugin';
import { SlackControl } from '../../../plugins/slack/slack.control.js';
import type { SlackConnection } from '../../../plugins/slack/slack.options.js';
import type { Answer } from '../../fakes/fault-server.js';
import { isMethod, refusal, type SlackChannel, SlackServer } from '../../fakes/slack/slack-server.js';
import { connection as connectionOf } from './slack.requests.js';

const control = new SlackControl();
const signal = new AbortController().signal;
const CONVERSATION = '4e0cf7ad-3f0c-5b3e-9f6b-0c1d2e3f4a5b';
const KEY = '0b6f2c3e-6a3d-4c61-9d0a-5f3e1a2b3c4d';

let slack: SlackServer;
let channel: SlackChannel;
let connection: Connection<SlackConnection>;

beforeEach(async () => {
  slack = await SlackServer.start();
  channel = slack.addChannel('C0001');
  connection = connectionOf({ apiUrl: `${slack.url}/api/`, token: slack.token });
});
afterEach(() => slack.close());

function wanted(more: Partial<WantedThread> = {}): WantedThread {
  const subject = { namespace: 'github:github.com:1', key: '1#12' };
  return { conversation: CONVERSATION, subject, parent: 'C0001', title: '[acme/api#12] Fix <it>', known: null, ...more };
}

const ensure = (more: Partial<WantedThread> = {}) => control.ensureThread(wanted(more), connection, signal);
const post = (thread: ControlThread, more: Partial<ControlPost> = {}) =>
  control.post(thread, { text: 'Working on it', key: KEY, ...more }, connection, signal);
const fails = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);

describe('a thread at Slack', () => {
  it('SLK-2 hangs on a message of ours, which says for whom it is where nobody sees it', async () => {
    const thread = await ensure();
    expect(thread).toEqual({
      parent: 'C0001',
      id: 'C0001/1767225600.000100',
      title: '[acme/api#12] Fix <it>',
      url: 'https://app.slack.com/client/T0001/C0001/thread/C0001-1767225600.000100',
    });
    const event_payload = { conversation: CONVERSATION, title: thread.title };
    expect(channel.messages).toMatchObject([
      { text: '*[acme/api#12] Fix &lt;it&gt;*', metadata: { event_type: 'throughline_thread', event_payload } },
    ]);
  });

  it('is found by its id, and by its own marker where the answer to its making got lost', async () => {
    slack.once((call) => isMethod(call, 'chat.postMessage'), 'drop');
    expect(await fails(ensure())).toBeInstanceOf(OutcomeUnknown);
    const thread = await ensure();
    expect(await ensure({ known: thread })).toEqual(thread);
    expect(channel.messages).toHaveLength(1);
  });

  it("is never a stranger's with our title, nor one that another bot says is ours", async () => {
    slack.say('C0001', { text: '*[acme/api#12] Fix &lt;it&gt;*' });
    const metadata = { event_type: 'throughline_thread', event_payload: { conversation: CONVERSATION, title: 'x' } };
    slack.say('C0001', { text: 'x', metadata, bot_id: 'B0666' });
    expect((await ensure()).id).toBe('C0001/1767225602.000100');
    const ofAnother = await ensure({ conversation: 'another' });
    expect((await ensure({ known: ofAnother })).id).toBe('C0001/1767225602.000100');
  });

  it('is made anew where it was deleted, with and without replies', async () => {
    const first = await ensure();
    channel.messages.length = 0;
    const second = await ensure({ known: first });
    expect(second.id).not.toBe(first.id);
    Object.assign(channel.messages[0] ?? {}, { subtype: 'tombstone', metadata: undefined });
    expect((await ensure({ known: second })).id).not.toBe(second.id);
  });

  it('is one under the parent of now', async () => {
    slack.addChannel('C0002');
    const thread = await ensure();
    expect(await ensure({ known: thread, parent: 'C0002' })).toMatchObject({ parent: 'C0002', id: expect.stringMatching(/^C0002\//) });
    expect(await ensure({ known: { parent: 'C0001', id: 'C0009/nonsense' } })).toMatchObject({ id: thread.id });
  });

  it('SLK-2 is the very thread that a conversation is about, where its channel is the parent', async () => {
    const root = slack.say('C0001', { text: 'please &amp; thank you' });
    const subject = { namespace: 'slack:T0001', key: `T0001/C0001/${root.ts}` };
    const thread = await ensure({ subject });
    expect(thread).toMatchObject({ id: `C0001/${root.ts}`, title: 'please & thank you' });
    await control.rename(thread, 'another title', connection, signal);
    expect(channel.messages).toMatchObject([{ text: 'please &amp; thank you' }]);
  });

  it('is given another title, and keeps its marker', async () => {
    const thread = await ensure();
    await control.rename(thread, 'Fixed', connection, signal);
    expect(await ensure({ known: null })).toMatchObject({ id: thread.id, title: 'Fixed' });
  });

  it('cannot be closed at Slack: archiving asks nothing of it', async () => {
    await control.archive();
    await control.unarchive();
    expect(slack.calls).toEqual([]);
  });

  it('says what is missing for it', () => {
    expect(control.missing(connectionOf())).toMatch(/connections\.slack needs `token`/);
    expect(control.missing(connection)).toBeNull();
  });
});

describe('a message in a thread at Slack', () => {
  it('SLK-2 is written in its notation, with buttons that carry what they mean', async () => {
    const thread = await ensure();
    const { message } = await post(thread, {
      text: '**Push** to `main`? <!channel> @here\nsee [the plan](https://example.com/a?b=1&c=2)',
      buttons: [
        { label: 'Approve', style: 'primary', action: { type: 'decision', approval: 'a-1', decision: 'approve' } },
        { label: 'Stop', style: 'plain', action: { type: 'command', name: 'stop' } },
      ],
    });
    const [, reply] = channel.messages;
    expect(reply).toMatchObject({
      ts: message,
      thread_ts: '1767225600.000100',
      text: '*Push* to `main`? &lt;!channel&gt; @here\nsee <https://example.com/a?b=1&amp;c=2|the plan>',
      metadata: { event_type: 'throughline_post', event_payload: { key: KEY } },
      blocks: [
        { type: 'section', text: { type: 'mrkdwn', verbatim: true } },
        {
          type: 'actions',
          elements: [
            { action_id: 'throughline:0', style: 'primary', value: '{"type":"decision","approval":"a-1","decision":"approve"}' },
            { action_id: 'throughline:1', value: '{"type":"command","name":"stop"}' },
          ],
        },
      ],
    });
    const sent = new URLSearchParams(slack.callsOf('chat.postMessage').at(-1)?.body);
    expect(Object.fromEntries(sent)).toMatchObject({ parse: 'none', link_names: 'false', unfurl_links: 'false', unfurl_media: 'false' });
  });

  it('SLK-2 is edited in place, and loses its buttons', async () => {
    const thread = await ensure();
    const buttons = [{ label: 'Stop', style: 'danger', action: { type: 'command', name: 'stop' } }] as const;
    const { message } = await post(thread, { buttons });
    await control.edit(thread, message, { text: 'Done', key: KEY }, connection, signal);
    expect(channel.messages[1]).toMatchObject({ text: 'Done', blocks: [], metadata: { event_payload: { key: KEY } } });
  });

  it('is found by its marker after an answer that got lost, on whatever page it stands', async () => {
    const thread = await ensure();
    for (let reply = 0; reply < 250; reply++) slack.say('C0001', { text: 'so?', thread_ts: '1767225600.000100' });
    slack.once((call) => isMethod(call, 'chat.postMessage'), 'break');
    expect(await fails(post(thread))).toBeInstanceOf(OutcomeUnknown);
    expect(await control.findMarker(thread, KEY, connection, signal)).toBe(channel.messages.at(-1)?.ts);
    expect(await control.findMarker(thread, 'another', connection, signal)).toBeNull();
  });

  it('has an unknown outcome when the host stops waiting for it', async () => {
    const thread = await ensure();
    slack.once((call) => isMethod(call, 'chat.postMessage'), 'hang');
    const stop = new AbortController();
    const posted = fails(control.post(thread, { text: 'hi', key: KEY }, connection, stop.signal));
    await slack.nextCall();
    stop.abort();
    expect(await posted).toBeInstanceOf(OutcomeUnknown);
  });

  it('is refused with 50,000 characters, and fits with as many as the limit names, buttons included', async () => {
    const thread = await ensure();
    const refused = await fails(post(thread, { text: 'a'.repeat(50_000) }));
    expect(refused).toMatchObject({ name: 'ChannelFault', state: 'refused', message: expect.stringContaining('50000 characters') });
    const buttons = [{ label: 'x'.repeat(200), style: 'plain', action: { type: 'command', name: 'stop' } }] as const;
    const words = ['a '.repeat(2000), `\`\`\`js\n${'let a = 1;\n'.repeat(300)}\`\`\``, '🔧'.repeat(2000)];
    for (const text of words) await post(thread, { text, buttons });
    for (const { blocks } of channel.messages.slice(-3)) {
      expect(blocks.length).toBeGreaterThan(2);
      expect(blocks.every((block) => (block.text as { text: string } | undefined)?.text.isWellFormed() ?? true)).toBe(true);
    }
    await post(thread, { text: '<'.repeat(4000), buttons });
    const texts = channel.messages.at(-1)?.blocks.flatMap((block) => (block.text as { text: string } | undefined)?.text ?? []) ?? [];
    expect(texts.join('').length).toBeLessThanOrEqual(12_000);
    expect(texts.at(-1)).toContain('The rest does not fit');
    expect(channel.messages.at(-1)?.blocks.at(-1)).toMatchObject({ type: 'actions' });
  });

  it('is acknowledged with an eye, once', async () => {
    const { ts } = slack.say('C0001', { text: 'fix it' });
    const what = { thread: null, message: `T0001/C0001/${ts}`, subject: { namespace: 'slack:T0001', key: `T0001/C0001/${ts}` } };
    await control.acknowledge(what, connection, signal);
    await control.acknowledge(what, connection, signal);
    expect(channel.messages[0]?.reactions).toEqual(['eyes']);
    await control.acknowledge({ ...what, message: 'T0001/C0001/1.1' }, connection, signal);
    expect(await fails(control.acknowledge({ ...what, message: 'issues:1' }, connection, signal))).toMatchObject({ state: 'refused' });
  });

  it('is answered to the person alone, also when the address was used up, and never at an address elsewhere', async () => {
    const handle = { url: `${slack.url}/response/1`, channel: 'C0001', user: 'U0001', thread_ts: '1767225600.000100' };
    slack.responses = 1;
    await control.answer(handle, 'already <decided>', connection, signal);
    await control.answer(handle, 'already <decided>', connection, signal);
    await control.answer({ ...handle, url: 'https://hooks.slack.com.example.com/x' }, 'hi', connection, signal);
    expect(slack.whispers).toMatchObject([
      { response_type: 'ephemeral', replace_original: false, text: 'already &lt;decided&gt;' },
      { channel: 'C0001', user: 'U0001', text: 'already &lt;decided&gt;', thread_ts: '1767225600.000100' },
      { text: 'hi' },
    ]);
    expect(await fails(control.answer({}, 'hi', connection, signal))).toMatchObject({ state: 'refused' });
  });
});

describe('what Slack refuses', () => {
  const CASES: readonly [string, Answer, Partial<ChannelFault>][] = [
    ['a deleted thread', refusal('thread_not_found'), { state: 'thread_gone' }],
    ['a locked thread', refusal('restricted_action_thread_locked'), { state: 'thread_locked' }],
    ['an archived channel', refusal('is_archived'), { state: 'parent_gone', message: expect.stringContaining('control.parent') as never }],
    ['a channel without the bot', refusal('not_in_channel'), { state: 'forbidden', message: expect.stringContaining('/invite') as never }],
    [
      'a missing scope',
      refusal('missing_scope', { needed: 'chat:write', provided: 'commands' }),
      { state: 'forbidden', message: expect.stringContaining('chat:write') as never },
    ],
    [
      'a revoked token',
      refusal('token_revoked'),
      { state: 'forbidden', message: expect.stringContaining('connections.slack.token') as never },
    ],
    ['a message of a wrong form', refusal('invalid_blocks'), { state: 'refused' }],
    ['an error that nobody knew yet', refusal('brand_new'), { state: 'refused', message: expect.stringContaining('brand_new') as never }],
    ['a limit', { status: 429, body: null, headers: { 'retry-after': '7' } }, { state: 'rate_limited', retryAfterMs: 7000 }],
    ['a limit without a time', { status: 429, body: null }, { state: 'rate_limited', retryAfterMs: 30_000 }],
    ['a limit by name', refusal('ratelimited'), { state: 'rate_limited' }],
    ['a wrong address', { status: 404, body: 'nginx' }, { state: 'refused', message: expect.stringContaining('apiUrl') as never }],
  ];

  it.each(CASES)('SLK-2 is a state with a next step: %s', async (_, answer, expected) => {
    const thread = await ensure();
    slack.once((call) => isMethod(call, 'chat.postMessage'), answer);
    const fault = await fails(post(thread));
    expect(fault).toBeInstanceOf(ChannelFault);
    expect(fault).toMatchObject(expected);
    expect(String(fault)).not.toContain(slack.token);
  });

  it('is a message to edit that was deleted', async () => {
    const thread = await ensure();
    const fault = await fails(control.edit(thread, '1.1', { text: 'x', key: KEY }, connection, signal));
    expect(fault).toMatchObject({ state: 'message_gone' });
  });

  it('is nothing that is sure where Slack broke: a write is unknown, a read is tried again', async () => {
    const thread = await ensure();
    for (const answer of [refusal('fatal_error'), { status: 503, body: 'busy' }, { status: 200, body: '<html>' }]) {
      slack.once((call) => isMethod(call, 'chat.postMessage'), answer);
      expect(await fails(post(thread))).toBeInstanceOf(OutcomeUnknown);
      slack.once((call) => isMethod(call, 'conversations.replies'), answer);
      expect(await fails(ensure({ known: thread }))).toMatchObject({ state: 'unavailable' });
    }
  });

  it('is nothing where nobody listens: surely nothing was written', async () => {
    const nowhere = connectionOf({ apiUrl: `${slack.url}/api/`, token: slack.token });
    await slack.close();
    const thread = { parent: 'C0001', id: 'C0001/1.1', title: 'x' };
    expect(await fails(control.post(thread, { text: 'x', key: KEY }, nowhere, signal))).toMatchObject({ state: 'unavailable' });
  });

  it('is a token that it does not know', async () => {
    const thread = await ensure();
    const stranger = connectionOf({ apiUrl: `${slack.url}/api/`, token: 'xoxb-other' });
    expect(await fails(control.post(thread, { text: 'x', key: KEY }, stranger, signal))).toMatchObject({ state: 'forbidden' });
  });
});
