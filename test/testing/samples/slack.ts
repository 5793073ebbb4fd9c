import type { ProviderSamples, SampleEvent, SampleRequest, Stage } from 'throughline/testing';
import { isMethod, refusal, SlackServer } from '../../fakes/slack/slack-server.js';
import { fixtureText } from '../../plugins/golden.js';
import { message, slackFixture } from '../../plugins/slack/slack.requests.js';
import { hmac } from './signed.js';

const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
const SENT_AT = 1_767_225_600;
const ROOT = '1767225600.000100';
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

interface SlackStage extends Stage {
  readonly server: SlackServer;
}

/** A message of the app's own, as it is told of it. */
function own(ts: string | undefined, text: string) {
  const recorded = slackFixture('message.own-bot-echo');
  return { eventKey: 'message', payload: { ...recorded, event: { ...recorded.event, ts, event_ts: ts, text } } };
}

export const slackSamples: ProviderSamples<SlackStage> = {
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
    server.say('C0001', { ts: ROOT, user: 'U0001', text: 'fix it' });
    server.seconds = Math.floor(Date.now() / 1000);
    return {
      ...{ server, options: { apiUrl: `${server.url}/api/`, token: server.token, appToken: server.appToken }, close: () => server.close() },
      loseAnswer: () => server.once(isPost, 'drop'),
      refuse: () => server.once(isPost, refusal('not_in_channel')),
    };
  },
  stream: {
    isAcknowledged: true,
    happen: ({ server }, number) => server.sockets.event({ ...message({ ts: `176722999${number}.000900` }), event_id: `Ev90${number}` }),
  },
  backfill: {
    happen: ({ server }, number) => void server.say('C0001', { user: 'U0001', text: `<@U0BOT> message ${number}` }),
  },
  control: {
    ...{ parent: 'C0001', subject: { namespace: 'github:github.com:1', key: '1#12' }, threadPerConversation: true },
    callback: ({ message: ts, text }) => own(ts, text),
  },
  writes: [
    {
      ...{ tool: 'slack_reply', input: { text: 'Which branch?' }, subject: { namespace: 'slack:T0001', key: `T0001/C0001/${ROOT}` } },
      callback: ({ ids }) => own(ids.message, 'Which branch?'),
    },
  ],
};
