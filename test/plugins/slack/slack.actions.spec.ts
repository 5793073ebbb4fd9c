import { describe, expect, it } from '@jest/globals';
import type { AcceptResult } from 'throughline/plugin';
import { fixtureText } from '../golden.js';
import { formRequest, type Json, parse, parseRequest, slackFixture, webhook } from './slack.requests.js';

const THREAD = 'C0001/1767225600.000100';
const LINK = 'https://acme.slack.com/archives/C0001/p1767225600000100';

/** The recorded press on a button, with another meaning. */
function pressed(value: unknown, more: Json = {}): Json {
  const body = slackFixture('block_actions.approve');
  const [button] = body.actions as Json[];
  return {
    ...body,
    actions: [{ ...button, action_id: 'throughline:0', value: typeof value === 'string' ? value : JSON.stringify(value) }],
    ...more,
  };
}

function command(text: string, more: Record<string, string> = {}) {
  const fields = new URLSearchParams(fixtureText('slack/constructed/slash_command.form-urlencoded.txt').trimEnd());
  for (const [name, value] of Object.entries({ text, ...more })) fields.set(name, value);
  return formRequest(fields.toString());
}

describe('a press on a button at Slack', () => {
  it('is a decision by the person, in the thread of the message, with a way to answer', () => {
    const decision = { type: 'decision', approval: 'a-1', decision: 'approve' };
    expect(parse(pressed(decision))).toEqual({
      kind: 'action',
      subject: null,
      thread: THREAD,
      author: { id: 'U0001', name: 'octocat', handle: null, isBot: false },
      action: decision,
      reply: { channel: 'C0001', user: 'U0001', thread_ts: '1767225600.000100', url: 'https://hooks.slack.com/actions/T0001/1/x' },
      occurredAt: '2026-01-01T00:06:50.000Z',
    });
  });

  it('is a command', () => {
    expect(parse(pressed({ type: 'command', name: 'stop' }))).toMatchObject({ kind: 'action', action: { type: 'command', name: 'stop' } });
  });

  it.each([
    ['of another app', slackFixture('block_actions.approve')],
    ['with a value that is no JSON', pressed('approve')],
    ['with a command that there is not', pressed({ type: 'command', name: 'explode' })],
    ['with an id that no approval has', pressed({ type: 'decision', approval: '../a', decision: 'approve' })],
    ['with a decision that there is not', pressed({ type: 'decision', approval: 'a-1', decision: 'perhaps' })],
    ['without a person', pressed({ type: 'command', name: 'stop' }, { user: null })],
    ['without a channel', pressed({ type: 'command', name: 'stop' }, { channel: null, container: {} })],
    ['of several buttons at once', { ...pressed({ type: 'command', name: 'stop' }), actions: [{}, {}] }],
  ])('ING-4 is recorded and does nothing: %s', (_, body) => {
    expect(parse(body)).toMatchObject({ kind: 'recorded', reason: 'interaction_not_supported' });
  });

  it('ACC-2 is one event however often it is sent, and another one for each press', () => {
    const request = (actionTs: string) => {
      const body = pressed({ type: 'command', name: 'stop' }, { action_ts: actionTs });
      return formRequest(new URLSearchParams({ payload: JSON.stringify(body) }).toString());
    };
    expect(webhook.deliveryId(request('1.1'))).toBe(webhook.deliveryId(request('1.1')));
    expect(webhook.deliveryId(request('1.1'))).not.toBe(webhook.deliveryId(request('1.2')));
    expect(parseRequest(request('1.1'))).toMatchObject({ kind: 'action', thread: THREAD });
  });
});

describe('a slash command at Slack', () => {
  it('names its thread by a link, since Slack does not say where it was given', () => {
    expect(parseRequest(command(`stop ${LINK}`))).toMatchObject({
      ...{ kind: 'action', thread: THREAD, author: { id: 'U0001', name: 'octocat', handle: null, isBot: false } },
      action: { type: 'command', name: 'stop' },
      reply: { url: 'https://hooks.slack.com/commands/T0001/1/x', user: 'U0001' },
    });
    const reply = `https://acme.slack.com/archives/C0001/p1767225700000200?thread_ts=1767225600.000100&cid=C0001`;
    expect(parseRequest(command(`<${reply}|link> status`))).toMatchObject({ thread: THREAD, action: { name: 'status' } });
  });

  it('may be called like what it does, and may decide', () => {
    expect(parseRequest(command(`${LINK} and begin anew`, { command: '/reset' }))).toMatchObject({
      action: { type: 'command', name: 'reset', argument: 'and begin anew' },
    });
    expect(parseRequest(command(`Deny a-1 too risky ${LINK}`))).toMatchObject({
      action: { type: 'decision', approval: 'a-1', decision: 'deny', reason: 'too risky' },
    });
  });

  it('ING-4 is recorded where it names no thread or nothing to do, and its author reads what to write', () => {
    const result: AcceptResult = { duplicate: false, receipt: 'r', disposition: 'recorded' };
    for (const text of ['stop', LINK, `explode ${LINK}`, `approve ${LINK}`]) {
      expect(parseRequest(command(text))).toMatchObject({ kind: 'recorded', reason: 'command_not_supported' });
      expect(webhook.reply(result, command(text))).toMatchObject({
        status: 200,
        body: { response_type: 'ephemeral', text: expect.stringContaining('Copy link') },
      });
    }
    expect(webhook.reply(result, command(`stop ${LINK}`))).toMatchObject({ status: 200, body: '' });
    expect(webhook.reply(result, formRequest('payload={}'))).toEqual({ status: 200, body: result });
  });
});

describe('the thread of a message at Slack', () => {
  it('is that of a reply, an edit or a deletion in it, and none for a message outside of threads', () => {
    for (const name of ['message.thread-reply', 'app_mention.in-thread']) expect(parse(slackFixture(name)).thread).toBe(THREAD);
    expect(parse(slackFixture('message.root'))).not.toHaveProperty('thread');
    const reply = { ts: '1767225700.000200', thread_ts: '1767225600.000100', user: 'U0001', text: 'no' };
    const changed = { type: 'message', channel: 'C0001', event_ts: '1767225800.000100', ts: '1767225800.000100' };
    const body = slackFixture('message.root');
    const edit = { ...body, event: { ...changed, subtype: 'message_changed', message: reply } };
    expect(parse(edit)).toMatchObject({ kind: 'edit', thread: THREAD });
    const deletion = { ...body, event: { ...changed, subtype: 'message_deleted', deleted_ts: reply.ts, previous_message: reply } };
    expect(parse(deletion)).toMatchObject({ kind: 'withdrawal', thread: THREAD });
  });
});
