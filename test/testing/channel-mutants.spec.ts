import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { ChannelFault, type ControlChannel } from 'throughline/plugin';
import type { ControlSample, ProviderSamples, Stage } from 'throughline/testing';
import { Chat } from '../fakes/channel/chat.js';
import { ChatChannel } from '../fakes/channel/chat-channel.js';
import tickets, { type TicketsConnection } from '../fakes/tickets/index.js';
import { samples } from '../fakes/tickets/samples.js';
import { but, failuresOf, mutant } from './mutants.js';

type Channel = ControlChannel<TicketsConnection>;

let chat = new Chat();
const current = () => new ChatChannel(chat);

/** The channel of whatever chat there is at the moment. */
const channel: Channel = {
  limits: { title: 100, text: 2000, editMs: 20 },
  ensureThread: (...given) => current().ensureThread(...given),
  archive: (...given) => current().archive(...given),
  unarchive: (...given) => current().unarchive(...given),
  post: (...given) => current().post(...given),
  edit: (...given) => current().edit(...given),
  findMarker: (...given) => current().findMarker(...given),
};

const control: ProviderSamples = {
  ...samples,
  writes: samples.writes as NonNullable<ProviderSamples['writes']>,
  stage: async () => {
    chat = new Chat();
    const stage: Stage = (await samples.stage?.()) ?? { options: {}, close: async () => undefined };
    return {
      ...{ options: stage.options, close: () => stage.close(), server: Reflect.get(stage, 'server') as unknown },
      loseAnswer: () => {
        stage.loseAnswer?.();
        chat.spoil('post', { lost: true });
      },
      refuse: () => {
        stage.refuse?.();
        chat.spoil('post', { state: 'refused' });
      },
    };
  },
  control: {
    ...{ parent: 'C1', subject: { namespace: 'tickets:acme:ticket', key: '7' }, threadPerConversation: true },
    callback: () => null,
  },
};

const withChannel = (change: Partial<Channel>) => mutant(tickets, () => ({ control: but(channel, change) }));

/** Its provider tells of what the channel posts. */
const told: ProviderSamples = {
  ...control,
  control: { ...(control.control as ControlSample), callback: ({ message, text }) => commented(message, text) },
};

function commented(id: string, text: string) {
  const [ticket, user] = [
    { id: 7, title: 'It is slow', state: 'open', updated: '2026-01-01T10:00:00Z' },
    { id: 99, name: 'agent', bot: true },
  ];
  const comment = { id, text, updated: '2026-01-01T11:00:00Z' };
  return { eventKey: 'ticket.commented', payload: { tenant: 'acme', action: 'commented', user, ticket, comment } };
}

const knowsItself = (id: string) =>
  mutant(tickets, ({ subjects }) => ({
    control: channel,
    subjects: {
      parse: (event) => {
        const parsed = subjects.parse(event);
        const isSelf = parsed.author?.id === id;
        return isSelf && parsed.subject !== null ? { kind: 'ignored', reason: 'own_message', subject: parsed.subject } : parsed;
      },
    },
  }));

const CHANNELS: readonly [what: string, change: Partial<Channel>, fails: string][] = [
  [
    'makes a new thread whenever it is not told of one',
    {
      ensureThread: async (wanted, ...rest) =>
        wanted.known ? { ...wanted.known, title: wanted.title } : channel.ensureThread({ ...wanted, conversation: randomUUID() }, ...rest),
    },
    'control: has one thread for a conversation, however often it is asked',
  ],
  [
    'takes the thread of a title',
    { ensureThread: (wanted, ...rest) => channel.ensureThread({ ...wanted, conversation: wanted.title }, ...rest) },
    'control: gives no thread of one conversation to another',
  ],
  [
    'takes the last message for any',
    { findMarker: async ({ id }) => chat.threads.get(id)?.messages.at(-1)?.id ?? null },
    'control: finds a message by its key, and none that was not posted',
  ],
  [
    'posts an edit as another message',
    {
      edit: async ({ id }, _message, post) => {
        chat.deleteMessages(id);
        chat.post(id, post);
      },
    },
    'control: changes a message where it stands',
  ],
  [
    'complains of a thread that is closed already',
    {
      archive: async ({ id }) => {
        const thread = chat.threads.get(id);
        if (!thread || thread.isArchived) throw new ChannelFault('thread_gone', 'there is no open thread');
        thread.isArchived = true;
      },
    },
    'control: closes a thread without a word where it is closed, and opens it again',
  ],
  [
    'calls a lost answer a refusal',
    {
      post: (...given) =>
        channel.post(...given).catch((cause: unknown) => Promise.reject(new ChannelFault('unavailable', 'it failed', null, { cause }))),
    },
    'control: tells a refusal from a message that may have been posted',
  ],
  [
    'calls a refusal a lost answer',
    { post: (...given) => channel.post(...given).catch((cause: unknown) => Promise.reject(new Error('it failed', { cause }))) },
    'control: tells a refusal from a message that may have been posted',
  ],
];

describe('a control channel that', () => {
  it('does what the host relies on passes every check', async () => {
    expect(await failuresOf(withChannel({}), control)).toEqual([]);
  });

  it.each(CHANNELS)('%s fails the check that is about it', async (_what, change, fails) => {
    expect(await failuresOf(withChannel(change), control)).toEqual([fails]);
  });

  it('knows its own messages passes, and one that takes them for those of a bot fails the check that is about it', async () => {
    expect(await failuresOf(knowsItself('99'), told)).toEqual([]);
    expect(await failuresOf(knowsItself('98'), told)).toEqual([
      'control: hears its own messages as its own, so that none of them wakes an agent',
    ]);
  });

  it('has no samples is not passed over', async () => {
    const { control: _, ...without } = control;
    expect(await failuresOf(withChannel({}), without)).toEqual(['plugin: has samples of everything that it has']);
  });
});
