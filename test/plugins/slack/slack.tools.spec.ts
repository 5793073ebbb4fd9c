import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Connection, InvalidInput, OutcomeUnknown, ProviderFault, type UnknownEffect } from 'throughline/plugin';
import type { SlackConnection } from '../../../plugins/slack/slack.options.js';
import { reply, slackEffects } from '../../../plugins/slack/slack.tools.js';
import { isMethod, refusal, type SlackChannel, SlackServer } from '../../fakes/slack/slack-server.js';
import { connection as connectionOf } from './slack.requests.js';

const KEY = '0b6f2c3e-6a3d-4c61-9d0a-5f3e1a2b3c4d';
const signal = new AbortController().signal;
const fails = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);

let slack: SlackServer;
let channel: SlackChannel;
let connection: Connection<SlackConnection>;
let root: string;

beforeEach(async () => {
  slack = await SlackServer.start();
  channel = slack.addChannel('C0001');
  connection = connectionOf({ apiUrl: `${slack.url}/api/`, token: slack.token });
  root = slack.say('C0001', { user: 'U0001', text: 'fix it' }).ts;
});
afterEach(() => slack.close());

const subject = () => ({ namespace: 'slack:T0001', key: `T0001/C0001/${root}` });
const write = (text = 'Which **branch**?', more: object = {}) =>
  reply.execute({ text }, { connection, conversation: 'c', subject: subject(), ...more }, KEY);
const unknown = (more: Partial<UnknownEffect<SlackConnection>> = {}): UnknownEffect<SlackConnection> => ({
  ...{ connection, tool: 'slack_reply', marker: KEY, isInput: () => false },
  scope: { account: 'T0001', kind: 'Message', action: 'create', subject: subject() },
  attemptedAt: new Date().toISOString(),
  ...more,
});
const longAgo = new Date(Date.now() - 3_600_000).toISOString();

describe('the tool slack_reply', () => {
  it('EFF-8 writes in the thread that the conversation is about, and nowhere else', async () => {
    const { ids } = await write();
    expect(ids).toEqual({ channel: 'C0001', message: channel.messages[1]?.ts });
    expect(channel.messages[1]).toMatchObject({ thread_ts: root, text: 'Which *branch*?', metadata: { event_payload: { key: KEY } } });
    const binding = { connection, conversation: 'c', subject: subject() };
    expect(reply.scope({ text: 'x' }, binding)).toEqual({ account: 'T0001', kind: 'Message', action: 'create', subject: subject() });
    const elsewhere = { subject: { namespace: 'github:github.com:1', key: '1#12' } };
    expect(() => reply.scope({ text: 'x' }, { ...binding, ...elsewhere })).toThrow(InvalidInput);
    expect(await fails(write('x', elsewhere))).toBeInstanceOf(InvalidInput);
  });

  it('EFF-4 a refusal is sure, and says whether it may pass', async () => {
    const kindOf = async (answer: Parameters<SlackServer['once']>[1]) => {
      slack.once((call) => isMethod(call, 'chat.postMessage'), answer);
      const fault = await fails(write());
      return fault instanceof ProviderFault ? [fault.kind, fault.retryAfterMs] : fault;
    };
    expect(await kindOf(refusal('not_in_channel'))).toEqual(['unauthorized', null]);
    expect(await kindOf(refusal('thread_not_found'))).toEqual(['permanent', null]);
    expect(await kindOf({ status: 429, body: null, headers: { 'retry-after': '7' } })).toEqual(['transient', 7000]);
    expect(await fails(write('x', { connection: connectionOf() }))).toMatchObject({ kind: 'unauthorized' });
    expect(channel.messages).toHaveLength(1);
  });

  it('EFF-5 what became of a message without an answer is found by its metadata', async () => {
    slack.once((call) => isMethod(call, 'chat.postMessage'), 'drop');
    expect(await fails(write())).toBeInstanceOf(OutcomeUnknown);
    const written = { ids: { channel: 'C0001', message: channel.messages[1]?.ts } };
    expect(await slackEffects.find(unknown(), signal)).toEqual(written);
    expect(await slackEffects.find(unknown({ attemptedAt: longAgo }), signal)).toEqual(written);
    channel.messages.pop();
    expect(await slackEffects.find(unknown(), signal)).toBe('unknown');
    expect(await slackEffects.find(unknown({ attemptedAt: longAgo }), signal)).toBe('absent');
    expect(await slackEffects.find(unknown({ marker: null }), signal)).toBe('unknown');
  });
});
