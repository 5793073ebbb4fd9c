import type { ProviderSamples, SampleEvent, SampleRequest, Stage } from 'throughline/testing';
import { isMethod, refusal, SlackServer } from '../../fakes/slack/slack-server.js';
import { fixtureText } from '../../plugins/golden.js';
import { message, slackFixture } from '../../plugins/slack/slack.requests.js';
import { hmac } from './signed.js';

const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
const SENT_AT = 1_767_225_600;
const THREAD = 'the thread of the first message';

function request(name: string, seconds: number, more: Partial<SampleRequest> = {}): SampleRequest {
  const body = fixtureText(`slack/constructed/${name}.json`);
  const signature = `v0=${hmac(SECRET, `v0:${seconds}:${body}`)}`;
  const headers = { 'x-slack-request-timestamp': String(seconds), 'x-slack-signature': signature };
  return { name, headers: { 'content-type': 'application/json', ...headers }, body, sentAt: seconds * 1000, ...more };
}

function event(name: string, eventKey: string, kind: SampleEvent['kind'], about: string | null): SampleEvent {
  return { name, eventKey, payload: slackFixture(name), kind, about };
}

const isPost = (call: Parameters<typeof isMethod>[0]) => isMethod(call, 'chat.postMessage');

export const slackSamples: ProviderSamples<Stage & { readonly server: SlackServer }> = {
  secrets: [SECRET],
  isTimed: true,
  requests: [
    request('message.root', SENT_AT, { eventKey: 'message' }),
    request('message.root', SENT_AT + 60, { name: 'sent again after a minute', again: 'message.root' }),
    request('message.thread-reply', SENT_AT, { eventKey: 'message' }),
    request('url_verification', SENT_AT),
  ],
  events: [
    event('message.root', 'message', 'prompt', THREAD),
    event('app_mention.in-thread', 'app_mention', 'prompt', THREAD),
    event('message.thread-reply', 'message', 'prompt', THREAD),
    event('message.own-bot-echo', 'message', 'ignored', THREAD),
    {
      name: 'another message',
      eventKey: 'message',
      payload: message({ ts: '1767229999.000900' }),
      kind: 'prompt',
      about: 'another thread',
    },
    {
      name: 'in another channel',
      eventKey: 'message',
      payload: message({ channel: 'C0009' }),
      kind: 'prompt',
      about: 'a thread elsewhere',
    },
    event('channel_archive', 'channel_archive', 'recorded', null),
  ],
  stage: async () => {
    const server = await SlackServer.start();
    server.addChannel('C0001');
    return {
      ...{ server, options: { apiUrl: `${server.url}/api/`, token: server.token }, close: () => server.close() },
      loseAnswer: () => server.once(isPost, 'drop'),
      refuse: () => server.once(isPost, refusal('not_in_channel')),
    };
  },
  control: { parent: 'C0001', subject: { namespace: 'github:github.com:1', key: '1#12' }, threadPerConversation: true },
};
