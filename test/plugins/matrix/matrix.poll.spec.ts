import { afterEach, expect, it } from '@jest/globals';
import { Clients } from '../../../plugins/matrix/clients.js';
import type { Behind } from '../../../plugins/matrix/cursor.js';
import { MatrixPoll } from '../../../plugins/matrix/matrix.poll.js';
import { route } from '../../core/builders.js';
import { type Core, eachCore } from '../../core/core.js';
import { ADA, BOB, Homeserver, PASSWORD } from '../../fakes/matrix/homeserver.js';
import { BRIDGE, type Json } from '../../fakes/matrix/world.js';
import { SourceBench } from '../../ingress/sources/bench.js';
import { until } from '../../worker/harness.js';
import { connection, FakeCipher, SALES, SUPPORT, sayLocked, subjects } from './matrix.rooms.js';

const HOUR_MS = 3_600_000;

eachCore('the rooms of a Matrix account', (open) => {
  const ending: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const end of ending.splice(0).reverse()) await end();
  });

  const begin = async () => {
    const server = await Homeserver.start();
    ending.push(() => server.close());
    for (const room of [SUPPORT, SALES]) server.world.addRoom(room);
    const clock = { ms: Date.now() };
    server.world.now = () => clock.ms;
    return { server, clock, core: open(route({ source: 'matrix' })), cipher: new FakeCipher(), token: server.tokenFor() };
  };

  type Scene = Awaited<ReturnType<typeof begin>>;

  /** A replica that reads the rooms. */
  const replica = ({ core, server, clock, cipher, token }: Scene, change: Json = {}) => {
    const poll = new MatrixPoll(new Clients(), cipher, () => clock.ms);
    const about = { connection: connection({ apiUrl: server.url, token, ...change }), provider: 'matrix', subjects };
    const made = new SourceBench(core, [{ ...about, kind: 'poll', name: 'poll:default/matrix', transport: poll, intervalMs: 5 }]);
    made.supervisor.start();
    ending.push(() => made.supervisor.stop());
    return made;
  };

  const stored = async (core: Core) => (await core.rows<{ value: string }>('select value from cursors'))[0]?.value ?? 'null';
  const isRead = async (scene: Scene) =>
    (JSON.parse(await stored(scene.core)) as { since?: string } | null)?.since === `s${scene.server.world.end}_d0`;
  const read = (scene: Scene) => until(() => isRead(scene));
  const begun = async (scene: Scene, change: Json = {}) => {
    const made = replica(scene, change);
    await read(scene);
    return made;
  };
  const said = async (core: Core, room: string) => {
    const rows = await core.rows<{ text: string | null; outcome: string | null; parsed: string }>(
      "select d.text, d.outcome, r.parsed from deliveries d join receipts r on r.id = d.receipt join conversations c on c.id = d.conversation where c.key = ? and d.kind = 'prompt' order by d.sequence",
      room,
    );
    return rows.map(({ text, outcome, parsed }) => outcome ?? text ?? (JSON.parse(parsed) as { text: string }).text);
  };
  const texts = (core: Core, room = SUPPORT) => said(core, room);
  const recorded = (core: Core, reason: string) => core.rows('select receipt from decisions where reason = ?', reason);
  const behind = async (core: Core, room: string) =>
    (JSON.parse(await stored(core)) as { rooms: Record<string, { behind?: Behind } | undefined> } | null)?.rooms[room]?.behind;

  it('MTX-1 nothing that was said before the first sync enters, and everything after it once, also over a restart', async () => {
    const scene = await begin();
    const { server, core } = scene;
    server.world.say(SUPPORT, 'long ago');
    const made = await begun(scene);
    server.world.say(SUPPORT, 'hello');
    server.world.say(SUPPORT, 'my own words', ADA);
    server.world.say(SALES, 'an offer');
    server.world.send(SUPPORT, 'm.room.message', { msgtype: 'm.notice', body: 'I am a bot' }, BOB);
    server.world.send(SUPPORT, 'm.reaction', { 'm.relates_to': { rel_type: 'm.annotation', event_id: '$event-1', key: '👍' } }, BOB);
    await until(async () => (await texts(core)).length === 1 && (await texts(core, SALES)).length === 1);
    await made.supervisor.stop();
    server.world.say(SUPPORT, 'while you were away');
    replica(scene);
    await until(async () => (await texts(core)).length === 2);
    expect(await texts(core)).toEqual(['hello', 'while you were away']);
    expect(await core.count('receipts')).toBe(3);
    const [{ namespace } = {}] = await core.rows<{ namespace: string }>('select namespace from conversations where key = ?', SUPPORT);
    expect(namespace).toBe(`matrix:${ADA}:matrix:support:room`);
  });

  it('MTX-1 a room whose key is missing for an hour stops no other one, and is read in its order once the key is there', async () => {
    const scene = await begin();
    const { server, core, clock, cipher } = scene;
    const made = await begun(scene, { encryption: true });
    server.world.say(SUPPORT, 'in the clear');
    const locked = sayLocked(server.world, SUPPORT, 'locked', 'session-1');
    server.world.say(SUPPORT, 'after it');
    await until(async () => (await behind(core, 'support'))?.event === locked.event_id);
    for (let minute = 0; minute < 60; minute += 20) {
      clock.ms += 20 * 60_000;
      server.world.say(SALES, `offer ${minute}`);
      await until(async () => (await texts(core, SALES)).includes(`offer ${minute}`));
    }
    expect(await texts(core)).toEqual(['in the clear']);
    await made.supervisor.stop();
    replica(scene, { encryption: true });
    cipher.keys.add('session-1');
    clock.ms += 60_000;
    server.world.say(SALES, 'one more');
    await until(async () => (await texts(core)).length === 3);
    server.world.say(SUPPORT, 'as ever');
    await until(async () => (await texts(core)).length === 4);
    expect(await texts(core)).toEqual(['in the clear', 'locked', 'after it', 'as ever']);
    expect(await behind(core, 'support')).toBeUndefined();
  });

  it('MTX-1 a key that does not come until the deadline is waited for no longer, and the record shows what was lost', async () => {
    const scene = await begin();
    const { server, core, clock } = scene;
    await begun(scene, { encryption: true, keyDeadline: '2h' });
    const locked = sayLocked(server.world, SUPPORT, 'locked', 'session-1');
    server.world.say(SUPPORT, 'after it');
    await until(async () => (await behind(core, 'support'))?.event === locked.event_id);
    clock.ms += HOUR_MS;
    server.world.say(SALES, 'an hour later');
    await until(async () => (await texts(core, SALES)).length === 1);
    expect(await texts(core)).toEqual([]);
    clock.ms += HOUR_MS;
    server.world.say(SALES, 'two hours later');
    await until(async () => (await texts(core)).length === 1);
    sayLocked(server.world, SUPPORT, 'of the same session', 'session-1');
    server.world.say(SUPPORT, 'and on');
    await until(async () => (await texts(core)).length === 2);
    expect(await recorded(core, 'undecryptable')).toHaveLength(2);
  });

  it('MTX-1 without encryption an encrypted message is recorded, and nobody waits for it', async () => {
    const scene = await begin();
    const { server, core } = scene;
    scene.cipher.of = async () => null as never;
    await begun(scene);
    sayLocked(server.world, SUPPORT, 'locked', 'session-1');
    server.world.say(SUPPORT, 'in the clear');
    await until(async () => (await texts(core)).length === 1);
    expect(await recorded(core, 'encrypted')).toHaveLength(1);
  });

  it('MTX-1 a room that is not joined, or is no portal of the bridge’s own word, waits alone and goes on where it was', async () => {
    const scene = await begin();
    const { server, core, clock } = scene;
    const rooms = { support: { id: SUPPORT, bridge: { bot: BRIDGE, protocol: 'WhatsApp' }, activePortal: true }, sales: { id: SALES } };
    server.world.bridge(SUPPORT, 'whatsapp', BOB);
    const made = replica(scene, { rooms });
    await until(async () => /no portal of the bridge/.test((await behind(core, 'support'))?.detail ?? ''));
    const later = () => {
      clock.ms += HOUR_MS;
      server.world.say(SALES, 'time passes');
    };
    server.world.say(SUPPORT, 'not believed yet');
    server.world.bridge(SUPPORT);
    later();
    await until(async () => (await texts(core)).length === 1);
    server.world.bridge(SUPPORT, 'whatsapp', BRIDGE, false);
    server.world.say(SUPPORT, 'disconnected');
    await until(async () => /connected no more/.test((await behind(core, 'support'))?.detail ?? ''));
    server.world.bridge(SUPPORT);
    server.world.member(SUPPORT, ADA, 'leave', BOB);
    later();
    await until(async () => /let it join|cannot be seen/.test((await behind(core, 'support'))?.detail ?? ''));
    server.world.say(SUPPORT, 'while you were out');
    server.world.member(SUPPORT, ADA, 'join');
    later();
    await until(async () => (await texts(core)).length === 3);
    expect(await texts(core)).toEqual(['not believed yet', 'disconnected', 'while you were out']);
    expect(await made.state()).toBe('connected');
    expect((await texts(core, SALES)).length).toBe(3);
  });

  it('REC-5 MTX-1 a gap is read page by page in its order, up to a thousand events, and the cut is on the record', async () => {
    const scene = await begin();
    const { server, core } = scene;
    const made = await begun(scene);
    await made.supervisor.stop();
    for (let i = 0; i < 250; i += 1) server.world.say(SUPPORT, `missed ${i}`);
    for (let i = 0; i < 1_100; i += 1) server.world.say(SALES, `offer ${i}`);
    server.mostTold = 20;
    server.once(({ path }) => path.includes('/messages'), { status: 502, body: 'Bad gateway' });
    scene.clock.ms += 1;
    const again = replica(scene);
    await until(async () => (await behind(core, 'support'))?.why === 'failed' || (await behind(core, 'sales'))?.why === 'failed');
    scene.clock.ms += 60_000;
    server.world.say(SUPPORT, 'wakes the sync', ADA);
    await until(async () => (await texts(core)).length === 250);
    await until(async () => (await texts(core, SALES)).length === 1_000 && (await behind(core, 'sales')) === undefined);
    expect(await texts(core)).toEqual(Array.from({ length: 250 }, (_, i) => `missed ${i}`));
    expect(await recorded(core, 'history_cut')).toHaveLength(1);
    server.world.say(SALES, 'as ever');
    await until(async () => (await texts(core, SALES)).at(-1) === 'as ever');
    expect(await again.state()).toBe('connected');
  });

  it('ACC-8 MTX-1 edits and redactions change what still waits, and only those that the author may make', async () => {
    const scene = await begin();
    const { server, core } = scene;
    await begun(scene);
    const [first, second, third] = ['one', 'two', 'three'].map((text) => server.world.say(SUPPORT, text));
    if (!first || !second || !third) throw new Error('nothing was said');
    await until(async () => (await texts(core)).length === 3);
    server.world.edit(SUPPORT, first, 'one, corrected');
    server.world.edit(SUPPORT, second, 'forged', '@mallory:example.org');
    server.world.redact(SUPPORT, third.event_id, BOB);
    server.world.say(SUPPORT, 'last');
    await until(async () => (await texts(core)).includes('last'));
    expect(await texts(core)).toEqual(['one, corrected', 'two', 'withdrawn', 'last']);
  });

  it('IDN-6 MTX-1 goes on in the room that replaces another one, in the same conversation, where both say so', async () => {
    const scene = await begin();
    const { server, core } = scene;
    await begun(scene);
    server.world.say(SUPPORT, 'before');
    await until(async () => (await texts(core)).length === 1);
    server.world.say(SUPPORT, 'the last word here');
    server.world.upgrade(SUPPORT, '!new:example.org', [BOB]);
    server.world.say('!new:example.org', 'the first word there');
    server.world.upgrade(SALES, '!elsewhere:example.org', [ADA, BOB], '!another:example.org');
    await until(async () => (await core.count('deliveries')) === 3);
    expect(await texts(core)).toEqual(['before', 'the last word here', 'the first word there']);
    expect(await core.rows('select id from conversations')).toHaveLength(1);
    expect(server.world.membership('!new:example.org', ADA)).toBe('join');
    server.world.say(SALES, 'still here');
    await until(async () => (await texts(core, SALES)).includes('still here'));
  });

  it('MTX-1 logs in again with the same device after a soft logout; a limit is waited for', async () => {
    const scene = await begin();
    const { server, core } = scene;
    const made = await begun(scene, { token: undefined, password: PASSWORD, device: 'SERVER' });
    server.signOut(ADA, 'soft');
    server.once(({ path }) => path.includes('/sync'), {
      status: 429,
      body: { errcode: 'M_LIMIT_EXCEEDED', error: 'Too many', retry_after_ms: 10 },
    });
    server.world.say(SUPPORT, 'still there?');
    await until(async () => (await texts(core)).length === 1);
    const logins = server.called('POST', /login/).map(({ body }) => JSON.parse(body).device_id);
    expect(logins).toEqual(['SERVER', 'SERVER']);
    expect((await made.states())[0]?.detail ?? '').not.toContain(PASSWORD);
  });

  it('MTX-1 stops, and says why, with a token that is not valid, or is of another account', async () => {
    const scene = await begin();
    const other = replica({ ...scene, token: scene.server.tokenFor(BOB) });
    await until(async () => (await other.state()) === 'misconfigured');
    expect((await other.states())[0]?.detail).toMatch(/the token is of @bob:example\.org/);
    await other.supervisor.stop();
    scene.server.signOut(ADA, 'hard');
    const made = replica(scene);
    await until(async () => /set a new `token`/.test((await made.states())[0]?.detail ?? ''));
    expect(await scene.core.count('receipts')).toBe(0);
  });
});
