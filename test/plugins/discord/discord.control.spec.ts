import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ChannelFault, type ControlPost, type ControlThread, OutcomeUnknown, type WantedThread } from 'throughline/plugin';
import { Clients } from '../../../plugins/discord/clients.js';
import { DiscordControl } from '../../../plugins/discord/discord.control.js';
import { RenameBudget } from '../../../plugins/discord/rename-budget.js';
import { BOT_TOKEN, DiscordServer } from '../../fakes/discord/discord-server.js';
import type { Manner } from '../../fakes/discord/shapes.js';
import { connection } from './discord.events.js';

const WORDS: ControlPost = { text: 'It is **done** @everyone', key: '0b0b0b0b-0000-4000-8000-000000000001' };

describe('control threads at Discord', () => {
  const never = new AbortController().signal;
  let discord: DiscordServer;
  let control: DiscordControl;
  let now: number;
  const at = () => connection({ token: BOT_TOKEN, apiUrl: discord.url });

  beforeEach(async () => {
    discord = await DiscordServer.start();
    now = 0;
    control = new DiscordControl(new Clients(), new RenameBudget(() => now));
  });
  afterEach(() => discord.close());

  const wanted = (change: Partial<WantedThread> = {}): WantedThread => ({
    conversation: 'c-1',
    subject: { namespace: 'linear:o:issue', key: 'i-1' },
    parent: discord.world.parent,
    title: '[PYN-123] Repair scheduler',
    known: null,
    ...change,
  });
  const ensure = (change: Partial<WantedThread> = {}) => control.ensureThread(wanted(change), at(), never);
  const again = (thread: ControlThread) => ensure({ known: { parent: thread.parent, id: thread.id } });
  const post = (thread: ControlThread, change: Partial<ControlPost> = {}) => control.post(thread, { ...WORDS, ...change }, at(), never);
  const messages = (channel: string) => discord.world.messages.get(channel) ?? [];
  const misbehave = (method: string, path: RegExp, manner: Manner, times = 1) => {
    let left = times;
    discord.manner = (seen) => (seen.method === method && path.test(seen.path) && left-- > 0 ? manner : 'ok');
  };
  const stateOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) => (error instanceof ChannelFault ? error.state : error instanceof OutcomeUnknown ? 'unknown' : String(error)),
    );

  describe('ensureThread', () => {
    it('DSC-1 makes a thread under the parent, with the longest silence that Discord offers, and a starter message', async () => {
      const thread = await ensure();
      expect(thread).toEqual({
        parent: discord.world.parent,
        id: thread.id,
        title: '[PYN-123] Repair scheduler',
        url: `https://discord.com/channels/${discord.world.guild}/${thread.id}`,
      });
      expect(discord.world.thread(thread.id).thread_metadata).toMatchObject({ archived: false });
      expect(discord.calls('POST', /threads$/)[0]?.body).toEqual({ name: '[PYN-123] Repair scheduler', auto_archive_duration: 10080 });
      const [starter] = messages(discord.world.parent);
      expect(starter?.id).toBe(thread.id);
      expect(starter?.content).toMatch(/^\[PYN-123\] Repair scheduler[\u200b-\u200d\u2060]{24}$/);
    });

    it('DSC-1 makes no second one, however often it is asked', async () => {
      const first = await ensure();
      expect((await again(first)).id).toBe(first.id);
      expect((await ensure()).id).toBe(first.id);
      expect(discord.world.threads()).toHaveLength(1);
      expect(messages(discord.world.parent)).toHaveLength(1);
    });

    it.each([
      ['the starter message', /\/messages$/],
      ['the thread', /\/threads$/],
    ])('DSC-1 makes no second one when the answer to %s was lost', async (_, path) => {
      misbehave('POST', path, 'drop');
      expect(await stateOf(ensure())).toBe('unknown');
      discord.rest.nonces.clear();
      const thread = await ensure();
      expect(discord.world.threads().map(({ id }) => id)).toEqual([thread.id]);
      expect(messages(discord.world.parent)).toHaveLength(1);
    });

    it('DSC-1 never adopts a thread of somebody else, or another conversation’s, by its title', async () => {
      const stranger = discord.world.addThread('[PYN-123] Repair scheduler', '100000000000000001');
      const other = await ensure({ conversation: 'c-2' });
      const own = await ensure();
      expect(new Set([stranger.id, other.id, own.id]).size).toBe(3);
    });

    it('DSC-1 believes no copy of its marker by somebody else', async () => {
      const own = await ensure();
      const { content } = messages(discord.world.parent)[0] ?? { content: '' };
      discord.world.deleteChannel(own.id);
      discord.world.messages.set(discord.world.parent, []);
      discord.rest.nonces.clear();
      const copy = discord.world.say(discord.world.parent, content);
      expect((await ensure()).id).not.toBe(copy.id);
    });

    it('DSC-2 replaces a thread that was deleted, once', async () => {
      const first = await ensure();
      discord.world.deleteChannel(first.id);
      const [second, third] = [await again(first), await again(first)];
      expect(second.id).not.toBe(first.id);
      expect(third.id).toBe(second.id);
      expect(discord.world.threads()).toHaveLength(1);
    });

    it('DSC-2 moves with its parent, and takes no thread that stands elsewhere', async () => {
      const first = await ensure();
      discord.world.addChannel('200000000000000011');
      const moved = await ensure({ parent: '200000000000000011', known: { parent: first.parent, id: first.id } });
      expect(moved).toMatchObject({ parent: '200000000000000011' });
      const elsewhere = discord.world.addThread('x', discord.world.bot.id, discord.world.nextId(), discord.world.parent);
      const replaced = await ensure({ parent: '200000000000000011', known: { parent: '200000000000000011', id: elsewhere.id } });
      expect(replaced.id).not.toBe(elsewhere.id);
    });

    it('DSC-1 opens what Discord archived, and what a moderator locked where the bot may', async () => {
      const thread = await ensure();
      const { thread_metadata: metadata } = discord.world.thread(thread.id);
      metadata.archived = true;
      await again(thread);
      expect(metadata).toMatchObject({ archived: false });
      Object.assign(metadata, { archived: true, locked: true });
      await again(thread);
      expect(metadata).toMatchObject({ archived: false, locked: false });
      Object.assign(metadata, { archived: true, locked: true });
      discord.world.denied.add('MANAGE_THREADS');
      expect(await stateOf(again(thread))).toBe('thread_locked');
    });

    it('DSC-2 says what is missing as a state', async () => {
      expect(await stateOf(ensure({ parent: '299999999999999999' }))).toBe('parent_gone');
      discord.world.denied.add('SEND_MESSAGES');
      expect(await stateOf(ensure())).toBe('forbidden');
      discord.world.denied.clear();
      discord.world.denied.add('CREATE_PUBLIC_THREADS');
      expect(await stateOf(ensure())).toBe('forbidden');
      discord.world.denied.clear();
      discord.world.denied.add('VIEW_CHANNEL');
      expect(await stateOf(ensure())).toBe('forbidden');
    });

    it('DSC-2 with 1,000 active threads says so, and goes on with the same starter once there is room', async () => {
      for (let i = 0; i < 1_000; i += 1) discord.world.addThread(`thread ${i}`, '100000000000000001');
      expect(await stateOf(ensure())).toBe('too_many_threads');
      expect(await stateOf(ensure())).toBe('too_many_threads');
      expect(messages(discord.world.parent)).toHaveLength(1);
      for (const { thread_metadata } of discord.world.active().slice(0, 1)) thread_metadata.archived = true;
      expect(await stateOf(ensure())).toBe('done');
      expect(discord.seen.filter(({ path }) => path.endsWith('/threads/active'))).toEqual([]);
    });

    it('DSC-2 a thread that was deleted while it was made is made anew at the next try', async () => {
      misbehave('POST', /\/threads$/, 'drop');
      expect(await stateOf(ensure())).toBe('unknown');
      const [starter] = messages(discord.world.parent);
      discord.world.deleteChannel(String(starter?.id));
      discord.rest.nonces.clear();
      expect(await stateOf(ensure())).toBe('unavailable');
      expect(await stateOf(ensure())).toBe('done');
    });
  });

  describe('archive, unarchive and rename', () => {
    it('DSC-1 archives and locks in one request, and is content with what is closed or gone', async () => {
      const thread = await ensure();
      await control.archive(thread, at(), never);
      expect(discord.calls('PATCH', /channels/).map(({ body }) => body)).toEqual([{ archived: true, locked: true }]);
      expect(discord.world.thread(thread.id).thread_metadata).toMatchObject({ archived: true, locked: true });
      expect(await stateOf(control.archive(thread, at(), never))).toBe('done');
      await control.unarchive(thread, at(), never);
      expect(discord.world.thread(thread.id).thread_metadata).toMatchObject({ archived: false, locked: false });
      discord.world.deleteChannel(thread.id);
      expect(await stateOf(control.archive(thread, at(), never))).toBe('done');
      expect(await stateOf(control.unarchive(thread, at(), never))).toBe('thread_gone');
    });

    it('DSC-2 archives without a lock where the bot may not lock', async () => {
      const thread = await ensure();
      discord.world.denied.add('MANAGE_THREADS');
      await control.archive(thread, at(), never);
      expect(discord.world.thread(thread.id).thread_metadata).toMatchObject({ archived: true, locked: false });
    });

    it('DSC-1 gives two new titles in ten minutes, and asks for no third', async () => {
      const thread = await ensure();
      await control.rename(thread, 'one', at(), never);
      await control.rename(thread, 'two', at(), never);
      now = 60_000;
      const third = control.rename(thread, 'three', at(), never);
      await expect(third).rejects.toMatchObject({ state: 'rate_limited', retryAfterMs: 540_000 });
      expect(discord.calls('PATCH', /channels/)).toHaveLength(2);
      expect(discord.world.thread(thread.id).name).toBe('two');
      now = 600_001;
      // After a restart nobody here knows of the two: then Discord says it, and is believed at once.
      await expect(control.rename(thread, 'three', at(), never)).rejects.toMatchObject({ state: 'rate_limited', retryAfterMs: 582_050 });
    });

    it('DSC-1 renames a thread that Discord archived by opening it', async () => {
      const thread = await ensure();
      discord.world.thread(thread.id).thread_metadata.archived = true;
      await control.rename(thread, 'renamed', at(), never);
      expect(discord.world.thread(thread.id)).toMatchObject({ name: 'renamed', thread_metadata: { archived: false } });
    });
  });

  describe('messages', () => {
    it('DSC-1 notify nobody, and are posted once under their key', async () => {
      const thread = await ensure();
      const [first, second] = [await post(thread), await post(thread)];
      expect(second).toEqual(first);
      expect(messages(thread.id)).toHaveLength(1);
      expect(discord.calls('POST', /\/messages$/).at(-1)?.body).toMatchObject({ enforce_nonce: true, allowed_mentions: { parse: [] } });
    });

    it('DSC-1 are found by their marker after an answer that was lost, also when Discord has forgotten the nonce', async () => {
      const thread = await ensure();
      misbehave('POST', /\/messages$/, 'drop');
      expect(await stateOf(post(thread))).toBe('unknown');
      discord.rest.nonces.clear();
      for (let i = 0; i < 150; i += 1) discord.world.say(thread.id, `talk ${i}`);
      expect(await control.findMarker(thread, WORDS.key, at(), never)).toBe(messages(thread.id)[0]?.id);
      expect(await control.findMarker(thread, 'another key', at(), never)).toBeNull();
    });

    it('DSC-1 carry at most five buttons in a row, each with its action', async () => {
      const thread = await ensure();
      const decide = (decision: 'approve' | 'deny') => ({ type: 'decision', approval: '7f3a', decision }) as const;
      const buttons = [
        { label: 'Approve', style: 'primary', action: decide('approve') },
        { label: 'Deny', style: 'danger', action: decide('deny') },
        { label: 'x'.repeat(90), style: 'plain', action: { type: 'command', name: 'status' } },
      ] as const;
      await post(thread, { buttons });
      expect(messages(thread.id)[0]?.components).toEqual([
        {
          type: 1,
          components: [
            { type: 2, style: 1, label: 'Approve', custom_id: 'appr:7f3a:approve' },
            { type: 2, style: 4, label: 'Deny', custom_id: 'appr:7f3a:deny' },
            { type: 2, style: 2, label: `${'x'.repeat(79)}…`, custom_id: 'ctl:status' },
          ],
        },
      ]);
      const sixth = Array.from({ length: 6 }, () => buttons[0]);
      expect(await stateOf(post(thread, { buttons: sixth }))).toBe('refused');
      const long = { ...buttons[2], action: { type: 'command', name: 'reset', argument: 'a'.repeat(100) } } as const;
      expect(await stateOf(post(thread, { buttons: [long] }))).toBe('refused');
    });

    it('DSC-1 are as long as Discord takes, by UTF-16 units, and refused before they are sent when longer', async () => {
      const thread = await ensure();
      expect(await stateOf(post(thread, { text: '𝄞'.repeat(control.limits.text / 2) }))).toBe('done');
      expect(messages(thread.id)[0]?.content).toHaveLength(2_000);
      discord.seen.length = 0;
      for (const text of ['𝄞'.repeat(control.limits.text / 2 + 1), 'x'.repeat(50_000), ' \n'])
        expect(await stateOf(post(thread, { text }))).toBe('refused');
      expect(discord.seen).toEqual([]);
    });

    it('DSC-1 are edited with their buttons; in an archived thread by opening it; a deleted one is to be posted anew', async () => {
      const thread = await ensure();
      const { message } = await post(thread, { buttons: [{ label: 'Stop', style: 'danger', action: { type: 'command', name: 'stop' } }] });
      discord.world.thread(thread.id).thread_metadata.archived = true;
      await control.edit(thread, message, { ...WORDS, text: 'over' }, at(), never);
      expect(messages(thread.id)[0]).toMatchObject({ content: expect.stringMatching(/^over/), components: [] });
      expect(await control.findMarker(thread, WORDS.key, at(), never)).toBe(message);
      discord.world.messages.set(thread.id, []);
      expect(await stateOf(control.edit(thread, message, WORDS, at(), never))).toBe('message_gone');
    });

    it('DSC-2 to a thread that is locked or gone are a state', async () => {
      const thread = await ensure();
      const { thread_metadata: metadata } = discord.world.thread(thread.id);
      Object.assign(metadata, { archived: true, locked: true });
      expect(await stateOf(post(thread))).toBe('done');
      expect(metadata).toMatchObject({ archived: false, locked: false });
      Object.assign(metadata, { archived: true, locked: true });
      discord.world.denied.add('MANAGE_THREADS');
      discord.rest.nonces.clear();
      expect(await stateOf(post(thread))).toBe('thread_locked');
      discord.world.deleteChannel(thread.id);
      expect(await stateOf(post(thread))).toBe('thread_gone');
    });

    it('DSC-1 of people are acknowledged by a reaction, where they still stand', async () => {
      const thread = await ensure();
      const { id } = discord.world.say(thread.id, 'hello');
      const acknowledge = (message: string) => control.acknowledge({ thread: thread.id, message, subject: wanted().subject }, at(), never);
      await acknowledge(`${thread.id}/${id}`);
      expect(discord.world.reactions).toEqual([`${id} 👀`]);
      expect(await stateOf(acknowledge(`${thread.id}/1`))).toBe('done');
      expect(await stateOf(acknowledge('issue-1'))).toBe('refused');
    });
  });

  describe('answers to interactions', () => {
    const handle = (token: string) => ({ application: discord.world.application, token });

    it('DSC-1 fill in what was deferred, else are the first, and use no token of the bot', async () => {
      discord.rest.answers.set('t-1', [{ type: 5 }]);
      await control.answer(handle('t-1'), 'done @here', at(), never);
      expect(discord.rest.answers.get('t-1')?.[1]).toEqual({ content: 'done @here', allowed_mentions: { parse: [] } });
      await control.answer(handle('t-2'), 'done', at(), never);
      expect(discord.rest.answers.get('t-2')).toEqual([{ content: 'done', allowed_mentions: { parse: [] }, flags: 64 }]);
    });

    it('DSC-2 that come too late are refused, without their token in the words', async () => {
      const late = control.answer(handle('expired'), 'done', at(), never);
      await expect(late).rejects.toMatchObject({ state: 'refused', message: expect.stringMatching(/15 minutes/) });
      await expect(late).rejects.toMatchObject({ message: expect.not.stringMatching(/\/expired/) });
    });
  });

  describe('every refusal', () => {
    it.each([
      [403, 50001, 'forbidden'],
      [403, 50013, 'forbidden'],
      [400, 50024, 'refused'],
      [400, 50035, 'refused'],
      [400, 50083, 'thread_locked'],
      [404, 10003, 'thread_gone'],
      [404, 10004, 'parent_gone'],
      [404, 10008, 'message_gone'],
      [404, 10062, 'refused'],
      [400, 160004, 'refused'],
      [400, 160005, 'thread_locked'],
      [400, 160006, 'too_many_threads'],
      [400, 20028, 'rate_limited'],
      [400, 30046, 'rate_limited'],
      [400, 40060, 'refused'],
      [401, 0, 'forbidden'],
      [403, 0, 'forbidden'],
      [404, 0, 'thread_gone'],
      [400, 99999, 'refused'],
      [503, 130000, 'unknown'],
      [500, 0, 'unknown'],
    ])('DSC-2 %i with code %i is the state %s', async (status, code, state) => {
      const thread = await ensure();
      misbehave('POST', /\/messages$/, { status, code }, 2);
      expect(await stateOf(post(thread))).toBe(state);
      discord.manner = () => 'ok';
      // Whatever it was, the next request is a request again.
      expect(await stateOf(post(thread))).toBe('done');
    });

    it('DSC-2 429 is a pause of the length that Discord asks for, and nothing hangs on it', async () => {
      const thread = await ensure();
      misbehave('POST', /\/messages$/, { status: 429, headers: { 'retry-after': '7', 'x-ratelimit-scope': 'user' } });
      await expect(post(thread)).rejects.toMatchObject({ state: 'rate_limited', retryAfterMs: 7_050 });
    });

    it('DSC-2 a server that is not there surely did nothing', async () => {
      const nowhere = connection({ token: BOT_TOKEN, apiUrl: 'http://127.0.0.1:1/api' });
      expect(await stateOf(control.post({ parent: '1', id: '2', title: 'x' }, WORDS, nowhere, never))).toBe('unavailable');
    });

    it('DSC-2 a call whose time is over may have been done', async () => {
      const thread = await ensure();
      expect(await stateOf(control.post(thread, WORDS, at(), AbortSignal.abort()))).toBe('unknown');
    });

    it('DSC-2 a connection without a bot’s token says what it lacks', () => {
      expect(control.missing(connection({ publicKey: 'a'.repeat(64) }))).toMatch(/token/);
      expect(control.missing(at())).toBeNull();
    });
  });
});
