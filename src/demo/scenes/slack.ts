import { ignored, routed, type Scene, type Step } from '../script.js';

const CHALLENGE = '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P';
const THREAD = '1767225800.000300';
const REPLY = '1767225900.000400';

function slack(id: string, fixture: string, details: Pick<Step, 'about' | 'expect'> & Partial<Step>): Step {
  return { id, source: 'slack', fixture: `slack/constructed/${fixture}.json`, ...details };
}

export const oneThread: Scene = {
  title: 'A thread in Slack',
  about: 'Slack tells of a mention twice, as app_mention and as message: one turn. Replies go on without a mention.',
  steps: [
    slack('url-check', 'url_verification', { about: 'Slack checks the URL', expect: { handshake: CHALLENGE } }),
    slack('chatter', 'message.root', { about: 'talk in the channel', expect: ignored('no_conversation') }),
    slack('mention', 'app_mention.root', { about: 'agent is mentioned', expect: routed('slack thread', 1) }),
    slack('mention-twin', 'message.same-as-app_mention-root', { about: 'the same as a message', expect: ignored('same_message') }),
    slack('reply', 'message.thread-reply', {
      about: 'reply in the thread',
      changes: { 'event.thread_ts': THREAD, 'event.ts': REPLY, 'event.event_ts': REPLY, event_id: 'Ev0005' },
      expect: routed('slack thread', 2),
    }),
  ],
};

export const refusals: Scene = {
  title: 'Who cannot prove it, is not heard',
  about: 'Signatures are checked over the exact bytes before anything is read: 401, and nothing is left behind.',
  steps: [
    {
      id: 'forged',
      source: 'github',
      event: 'issues',
      fixture: 'github/issues/opened.4.json',
      about: 'signed by a stranger',
      forgery: 'another secret',
      expect: { refused: 'signature_invalid' },
    },
    {
      id: 'unsigned',
      source: 'linear',
      fixture: 'linear/constructed/issue.create.todo.json',
      about: 'not signed at all',
      forgery: 'no signature',
      expect: { refused: 'signature_missing' },
    },
    slack('stale', 'app_mention.in-thread', {
      about: 'signed 10 min ago',
      forgery: 'an old timestamp',
      expect: { refused: 'timestamp_out_of_window' },
    }),
  ],
};
