import { afterEach, expect, it } from '@jest/globals';
import { Clients } from '../../../plugins/discord/clients.js';
import { DiscordBackfill } from '../../../plugins/discord/discord.backfill.js';
import type { DiscordConnection } from '../../../plugins/discord/discord.options.js';
import { DiscordStream } from '../../../plugins/discord/discord.stream.js';
import { StoreUnavailable } from '../../../src/core/admission/store-unavailable.js';
import { route } from '../../core/builders.js';
import { type Core, eachCore } from '../../core/core.js';
import { BOT_TOKEN, DiscordServer } from '../../fakes/discord/discord-server.js';
import { SourceBench } from '../../ingress/sources/bench.js';
import { until } from '../../worker/harness.js';
import { connection, press, request, subjects, webhook } from './discord.events.js';

const GUILDS_AND_MESSAGES_WITH_CONTENT = 1 | (1 << 9) | (1 << 15);

eachCore('the gateway of Discord', (open) => {
  const ending: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const end of ending.splice(0).reverse()) await end();
  });

  const begin = async () => {
    const discord = await DiscordServer.start();
    ending.push(() => discord.close());
    return { discord, core: open(route({ source: 'discord' })) };
  };

  /** A replica that keeps up the gateway. */
  const replica = (core: Core, discord: DiscordServer, { silenceMs = 60_000, options = {}, change = {} }: ReplicaOptions = {}) => {
    const [clients, at] = [new Clients(), connection({ token: BOT_TOKEN, apiUrl: discord.url, ...options })];
    const about = { connection: at, provider: 'discord', subjects };
    const stream = {
      ...about,
      kind: 'stream',
      name: 'stream:default/discord',
      transport: new DiscordStream(clients, silenceMs),
      hasHistory: true,
    } as const;
    const backfill = { ...about, kind: 'backfill', name: 'backfill:default/discord', backfill: new DiscordBackfill(clients) } as const;
    const made = new SourceBench(core, [stream, backfill], change);
    made.supervisor.start();
    ending.push(() => made.supervisor.stop());
    return made;
  };

  const stateOf = async (made: SourceBench) => (await made.states()).find(({ name }) => name.startsWith('stream'));
  const stands = (made: SourceBench) => until(async () => (await stateOf(made))?.state === 'connected');
  const delivered = (made: SourceBench, ...ids: string[]) =>
    until(async () => {
      const present = new Set(await made.delivered());
      return ids.every((id) => present.has(id));
    });

  it('DSC-1 brings what people write, in its order and with the intents that it needs, and makes its commands known once', async () => {
    const { discord, core } = await begin();
    const made = replica(core, discord);
    await stands(made);
    const ids = ['one', 'two', 'three'].map((text) => `message.${discord.world.say(discord.world.parent, text).id}`);
    await delivered(made, ...ids);
    expect(await made.delivered()).toEqual(ids);
    expect(discord.gateway.identified).toEqual([GUILDS_AND_MESSAGES_WITH_CONTENT]);
    await until(() => discord.rest.commands.length === 8);
    await made.supervisor.stop();
    expect({ open: discord.gateway.open, closes: discord.gateway.closes }).toEqual({ open: 0, closes: [1000] });
    const posts = discord.calls('POST', /commands$/).length;
    await stands(replica(core, discord));
    await until(() => discord.calls('GET', /commands$/).length === 2);
    expect(discord.calls('POST', /commands$/)).toHaveLength(posts);
  });

  it('DSC-1 goes on with its session after a close, and is told what it had missed', async () => {
    const { discord, core } = await begin();
    const made = replica(core, discord);
    await stands(made);
    discord.gateway.hangUp(4000);
    await until(() => discord.gateway.open === 0);
    const { id } = discord.world.say(discord.world.parent, 'while you were away');
    await delivered(made, `message.${id}`);
    expect(discord.gateway.identified).toHaveLength(1);
    expect(discord.gateway.resumed).toHaveLength(1);
  });

  it('DSC-1 makes another connection when Discord asks for one', async () => {
    const { discord, core } = await begin();
    const made = replica(core, discord);
    await stands(made);
    discord.gateway.askToReconnect();
    await until(() => discord.gateway.resumed.length === 1);
    const { id } = discord.world.say(discord.world.parent, 'still there?');
    await delivered(made, `message.${id}`);
    expect({ open: discord.gateway.open, identified: discord.gateway.identified.length }).toEqual({ open: 1, identified: 1 });
  });

  it('DSC-1 acknowledges nothing that is not stored: it is told again, and taken once', async () => {
    const { discord, core } = await begin();
    let isDown = false;
    const admission = Object.create(core.admissions) as Core['admissions'];
    admission.admitTogether = (events, bracket) =>
      isDown ? Promise.reject(new StoreUnavailable()) : core.admissions.admitTogether(events, bracket);
    const made = replica(core, discord, { change: { admission } });
    await stands(made);
    const first = discord.world.say(discord.world.parent, 'stored').id;
    await delivered(made, `message.${first}`);
    isDown = true;
    const second = discord.world.say(discord.world.parent, 'not stored').id;
    await until(() => discord.gateway.closes.length > 0);
    isDown = false;
    await delivered(made, `message.${second}`);
    expect(await made.delivered()).toEqual([`message.${first}`, `message.${second}`]);
    expect(discord.gateway.identified).toHaveLength(1);
  });

  it('REC-5 a session that was lost costs nothing: what was said meanwhile is asked for', async () => {
    const { discord, core } = await begin();
    const thread = discord.world.addThread('a thread', discord.world.bot.id).id;
    for (let i = 0; i < 1_000; i += 1) discord.world.addThread(`silent ${i}`, '100000000000000001');
    const made = replica(core, discord);
    await stands(made);
    const before = discord.world.say(discord.world.parent, 'before').id;
    await delivered(made, `message.${before}`);
    discord.gateway.forget();
    discord.gateway.hangUp(4000);
    const missed = Array.from({ length: 230 }, (_, i) => discord.world.say(i % 2 ? thread : discord.world.parent, `missed ${i}`).id);
    await until(() => discord.gateway.identified.length === 2);
    const after = discord.world.say(thread, 'after').id;
    await delivered(made, ...[before, ...missed, after].map((id) => `message.${id}`));
    expect(await made.delivered()).toHaveLength(232);
    // Only what has said something is asked.
    expect(new Set(discord.calls('GET', /messages$/).map(({ path }) => path)).size).toBe(2);
  });

  it('REC-5 what was said in a thread that was archived before anybody came back is asked for, and older archives are not', async () => {
    const { discord, core } = await begin();
    const { world } = discord;
    const archive = (name: string, text: string, agoMs = 0) => {
      const thread = world.addThread(name, world.bot.id);
      const { id } = world.say(thread.id, text);
      Object.assign(thread.thread_metadata, { archived: true, archive_timestamp: new Date(Date.now() - agoMs).toISOString() });
      return `message.${id}`;
    };
    const first = replica(core, discord);
    await stands(first);
    const before = `message.${world.say(world.parent, 'before').id}`;
    await delivered(first, before);
    await first.supervisor.stop();
    archive('long ago', 'old news', 3_600_000);
    const within = Array.from({ length: 120 }, (_, i) => archive(`thread ${i}`, `last word ${i}`, 120 - i));
    const second = replica(core, discord);
    await delivered(second, ...within);
    expect(new Set(await second.delivered())).toEqual(new Set([before, ...within]));
  });

  it('REC-5 another replica goes on, without a session and without a gap', async () => {
    const { discord, core } = await begin();
    const first = replica(core, discord);
    await stands(first);
    const before = discord.world.say(discord.world.parent, 'before').id;
    await delivered(first, `message.${before}`);
    await first.supervisor.stop();
    expect(discord.gateway.open).toBe(0);
    const between = discord.world.say(discord.world.parent, 'between').id;
    const second = replica(core, discord);
    await delivered(second, `message.${between}`);
    expect(discord.gateway.identified).toHaveLength(2);
    expect(await second.delivered()).toHaveLength(2);
  });

  it('ING-6 a line that died without a word is made anew, and its session goes on', async () => {
    const { discord, core } = await begin();
    discord.gateway.heartbeatMs = 100;
    const made = replica(core, discord, { silenceMs: 1_500 });
    await stands(made);
    await until(() => discord.gateway.beats > 1);
    discord.gateway.freeze();
    const { id } = discord.world.say(discord.world.parent, 'into the void');
    await until(() => discord.gateway.identified.length + discord.gateway.resumed.length > 1);
    discord.gateway.isDeaf = false;
    await delivered(made, `message.${id}`);
    expect(await made.delivered()).toEqual([`message.${id}`]);
  });

  it('DSC-2 a token that Discord does not know stops this source, and says what to do', async () => {
    const { discord, core } = await begin();
    const made = replica(core, discord, { options: { token: 'wrong' } });
    await until(async () => (await stateOf(made))?.state === 'misconfigured');
    expect((await stateOf(made))?.detail).toMatch(/Reset Token/);
    expect(discord.calls('GET', /gateway/)).toHaveLength(1);
  });

  it('DSC-2 a missing intent stops this source, and is named', async () => {
    const { discord, core } = await begin();
    discord.gateway.mayReadContent = false;
    const made = replica(core, discord);
    await until(async () => (await stateOf(made))?.state === 'misconfigured');
    expect((await stateOf(made))?.detail).toMatch(/MESSAGE CONTENT INTENT.*4014/);
  });

  it('DSC-2 waits where no more sessions may begin, for a new one would cost the bot its token', async () => {
    const { discord, core } = await begin();
    discord.sessionsLeft = 0;
    const made = replica(core, discord);
    await until(async () => (await stateOf(made))?.state === 'retrying');
    expect((await stateOf(made))?.detail).toMatch(/as many sessions as Discord allows/);
    expect(discord.gateway.identified).toEqual([]);
  });

  it('DSC-1 ING-3 an interaction has its first answer after it is stored, and is one by both ways that it comes', async () => {
    const { discord, core } = await begin();
    const made = replica(core, discord);
    await stands(made);
    const body = press('buy:now');
    discord.gateway.dispatch('INTERACTION_CREATE', body);
    await until(() => discord.rest.answers.size === 1);
    expect([...discord.rest.answers.values()].flat()).toMatchObject([{ type: 4, data: { flags: 64 } }]);
    discord.gateway.dispatch('INTERACTION_CREATE', { ...press('appr:7f3a:approve'), id: '400000000000000009', token: 'another' });
    await until(() => discord.rest.answers.size === 2);
    expect(discord.rest.answers.get('another')).toEqual([{ type: 5, data: { flags: 64 } }]);
    expect(await made.received()).toEqual(['400000000000000002', '400000000000000009'].map((id) => ({ delivery_id: `interaction.${id}` })));
    const posted = request(body);
    const answer = await core.admit({
      ...{ org: 'default', source: 'discord', provider: 'discord', body: posted.body, secretIndex: 0, payload: body },
      ...{
        deliveryId: String(webhook.deliveryId(posted)),
        eventKey: webhook.eventKey(posted),
        uniqueContent: webhook.uniqueContent(posted),
      },
      parsed: subjects.parse({ connection: connection(), eventKey: webhook.eventKey(posted), payload: body }),
    });
    expect(answer).toMatchObject({ duplicate: true });
    expect(await core.rows('select receipt from receipt_conflicts')).toEqual([]);
  });
});

interface ReplicaOptions {
  readonly silenceMs?: number;
  readonly options?: DiscordConnection;
  readonly change?: ConstructorParameters<typeof SourceBench>[2];
}
