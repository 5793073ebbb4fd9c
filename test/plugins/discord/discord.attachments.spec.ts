import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ProviderFault } from 'throughline/plugin';
import { Clients } from '../../../plugins/discord/clients.js';
import { DiscordAttachments } from '../../../plugins/discord/discord.attachments.js';
import { BOT_TOKEN, DiscordServer } from '../../fakes/discord/discord-server.js';
import { connection, dispatched, parse } from './discord.events.js';

const signal = new AbortController().signal;

describe('a file at Discord', () => {
  let discord: DiscordServer;
  const attachments = new DiscordAttachments(new Clients());
  const at = () => connection({ token: BOT_TOKEN, apiUrl: discord.url });

  beforeEach(async () => {
    discord = await DiscordServer.start();
  });
  afterEach(() => discord.close());

  it('TRN-11 is known by its message, whose addresses expire', () => {
    const file = { id: '500', filename: 'log.txt', url: 'https://cdn.discordapp.com/x?ex=1', size: 1, content_type: 'text/plain' };
    const created = (change: object) => parse(dispatched('gateway.message_create.in-thread', { ...change }));
    const reference = '200000000000000020/300000000000000001/500';
    expect(created({ content: 'look', attachments: [file, { id: 'x' }, 7] })).toMatchObject({
      text: 'look\n[file] log.txt\n[file] without a name',
      attachments: [{ reference, name: 'log.txt', mime: 'text/plain' }],
    });
    expect(created({ attachments: Array.from({ length: 30 }, (_, i) => ({ id: String(i) })) })).toHaveProperty('attachments.length', 20);
    expect(created({})).not.toHaveProperty('attachments');
  });

  it('TRN-11 is where its message says now, and needs no token there', async () => {
    const { world } = discord;
    const said = world.say(world.parent, 'look');
    const file = { id: '500', url: 'https://cdn.discordapp.com/attachments/1/500/log.txt?ex=2', size: 12, content_type: 'text/plain' };
    Object.assign(said, { attachments: [{ id: '499', url: 'https://cdn.discordapp.com/other' }, file] });
    const reference = { reference: `${world.parent}/${said.id}/500`, name: 'log.txt' };
    expect(await attachments.locate(reference, at(), signal)).toEqual({
      url: file.url,
      origins: ['https://cdn.discordapp.com', 'https://media.discordapp.net', new URL(discord.url).origin],
      ...{ size: 12, mime: 'text/plain' },
    });
    Object.assign(said, { attachments: [] });
    const fails = (id = said.id) =>
      attachments.locate({ reference: `${world.parent}/${id}/500`, name: 'x' }, at(), signal).catch((error: unknown) => error);
    expect(await fails()).toMatchObject({ message: 'the message has this file no more' });
    expect(await fails('999')).toMatchObject({ kind: 'permanent', message: expect.stringContaining('Unknown Message') });
    expect(await fails('../../users/@me')).toBeInstanceOf(ProviderFault);
  });
});
