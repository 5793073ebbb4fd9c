import type { ProviderSamples, SampleEvent, SampleRequest, Stage } from 'throughline/testing';
import { BOT_TOKEN, DiscordServer } from '../../fakes/discord/discord-server.js';
import type { Manner } from '../../fakes/discord/shapes.js';
import {
  APPLICATION,
  command,
  dispatched,
  fixture,
  type Json,
  PUBLIC_KEY,
  press,
  signedHeaders,
  TOKEN,
} from '../../plugins/discord/discord.events.js';

const THREAD = 'the thread';

function request(name: string, payload: Json, more: Partial<SampleRequest> = {}): SampleRequest {
  const body = Buffer.from(JSON.stringify(payload));
  return { name, headers: { 'content-type': 'application/json', ...signedHeaders(body) }, body, ...more };
}

function event(file: string, kind: SampleEvent['kind'], about: string | null, change: Json = {}): SampleEvent {
  const { eventKey, payload } = dispatched(`gateway.${file}`, change) ?? { eventKey: '', payload: null };
  return { name: `${file} ${JSON.stringify(change)}`, eventKey, payload, kind, about };
}

interface DiscordStage extends Stage {
  readonly server: DiscordServer;
}

function happen({ server }: DiscordStage, number: number): void {
  server.world.say(server.world.parent, `message ${number}`);
}

export const discordSamples: ProviderSamples<DiscordStage> = {
  options: { token: TOKEN, applicationId: APPLICATION, publicKey: PUBLIC_KEY },
  isTimed: true,
  requests: [
    request('a button', press('appr:7f3a:approve')),
    request('the button, sent again', press('appr:7f3a:approve'), { again: 'a button' }),
    request('a command', command('status')),
    request('a ping', fixture('interaction.ping')),
  ],
  events: [
    event('message_create.in-thread', 'prompt', THREAD),
    event('message_create.own-bot', 'ignored', THREAD),
    event('message_update.edit', 'edit', THREAD),
    event('message_delete', 'withdrawal', THREAD),
    event('message_create.in-thread', 'prompt', 'another thread', { channel_id: '200000000000000021' }),
    event('message_create.in-thread', 'prompt', 'a thread of others', { guild_id: '200000000000000009' }),
  ],
  stage: async () => {
    const server = await DiscordServer.start();
    const once = (manner: Manner) => {
      let isUsed = false;
      server.manner = ({ method, path }) => {
        if (isUsed || method !== 'POST' || !path.endsWith('/messages')) return 'ok';
        isUsed = true;
        return manner;
      };
    };
    return {
      ...{ server, options: { token: BOT_TOKEN, apiUrl: server.url }, close: () => server.close() },
      loseAnswer: () => once('drop'),
      refuse: () => once({ status: 403, code: 50_013 }),
    };
  },
  stream: { happen, isAcknowledged: true },
  backfill: { happen },
  control: {
    ...{ parent: '200000000000000010', subject: { namespace: 'linear:o:issue', key: 'i-1' }, threadPerConversation: true },
    callback: ({ thread, message, text }) =>
      event('message_create.own-bot', 'ignored', null, { id: message, channel_id: thread.id, content: text }),
  },
};
