import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Connection, InvalidInput, OutcomeUnknown, type UnknownEffect, type WantedThread } from 'throughline/plugin';
import { NO_CIPHERS } from '../../../plugins/matrix/cipher.js';
import { Clients } from '../../../plugins/matrix/clients.js';
import { MatrixControl } from '../../../plugins/matrix/matrix.control.js';
import type { MatrixConnection } from '../../../plugins/matrix/matrix.options.js';
import { MatrixEffects, ReadInput, RouteRead, RouteSend } from '../../../plugins/matrix/matrix.tools.js';
import type { Answer } from '../../fakes/fault-server.js';
import { ADA, BOB, Homeserver } from '../../fakes/matrix/homeserver.js';
import { BRIDGE, type Json } from '../../fakes/matrix/world.js';
import { connection as connectionOf, SALES, SUPPORT } from './matrix.rooms.js';

const SUBJECT = { namespace: `matrix:${ADA}:matrix:support:room`, key: SUPPORT };
const KEY = '0b6f2c3e-6a3d-4c61-9d0a-5f3e1a2b3c4d';
const OTHER = '6b6b6b6b-0000-4000-8000-000000000006';
const ROOMS = { support: { id: SUPPORT, bridge: { bot: BRIDGE }, activePortal: true }, sales: { id: SALES } };
const signal = new AbortController().signal;
const fails = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);
const writes = ({ method }: { method: string }) => method === 'PUT';

let server: Homeserver;
let clients: Clients;
let person: Connection<MatrixConnection>;
let bot: Connection<MatrixConnection>;

beforeEach(async () => {
  server = await Homeserver.start();
  for (const room of [SUPPORT, SALES]) server.world.addRoom(room);
  server.world.bridge(SUPPORT);
  clients = new Clients();
  const at = { apiUrl: server.url, token: server.tokenFor() };
  person = connectionOf({ ...at, rooms: ROOMS });
  bot = connectionOf({ ...at, bot: true });
});
afterEach(() => server.close());

const limit = (amount: number) => Object.assign(new ReadInput(), { limit: amount });

describe('what an agent writes into its room', () => {
  const send = () => new RouteSend(clients, NO_CIPHERS);
  const effects = () => new MatrixEffects(clients, NO_CIPHERS);
  const binding = () => ({ connection: person, conversation: 'c', subject: SUBJECT });
  const write = (body: string, key = KEY) => send().execute({ body }, binding(), key);
  const unknown = (key = KEY, minutesAgo = 1): UnknownEffect<MatrixConnection> => ({
    ...{ connection: person, tool: 'matrix_route_send', scope: send().scope({ body: 'x' }, binding()), marker: key },
    attemptedAt: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
    isInput: () => false,
  });

  it('MTX-2 EFF-7 is a message under a transaction of its effect, which a repetition does not write again', async () => {
    const first = await write('Hello');
    expect(await write('Hello')).toEqual(first);
    const [message, ...more] = server.said(SUPPORT, ADA);
    expect(more).toEqual([]);
    expect(first).toEqual({ ids: { event: message?.event_id } });
    expect(message?.content).toMatchObject({ msgtype: 'm.text', body: 'Hello', 'm.mentions': {} });
  });

  it('EFF-4 EFF-5 surely failed where the homeserver refused, is unknown where its answer got lost, and is then found by its key', async () => {
    const limited: Answer = { status: 429, body: { errcode: 'M_LIMIT_EXCEEDED', error: 'slow down' }, headers: { 'retry-after': '2' } };
    server.once(writes, limited);
    expect(await fails(write('x'))).toMatchObject({ name: 'ProviderFault', kind: 'transient', retryAfterMs: 2_000 });
    server.once(writes, { status: 403, body: { errcode: 'M_FORBIDDEN', error: 'no' } });
    expect(await fails(write('x'))).toMatchObject({ name: 'ProviderFault', kind: 'permanent' });
    expect(await effects().find(unknown(), signal)).toBe('unknown');
    expect(await effects().find(unknown(KEY, 6), signal)).toBe('absent');
    for (const manner of ['drop', 'break'] as const) {
      server.once(writes, manner);
      expect(await fails(write('x'))).toBeInstanceOf(OutcomeUnknown);
    }
    for (let i = 0; i < 120; i += 1) server.world.say(SUPPORT, `chatter ${i}`);
    const [message] = server.said(SUPPORT, ADA);
    expect(await effects().find(unknown(), signal)).toEqual({ ids: { event: message?.event_id } });
    expect(await effects().find(unknown(OTHER, 6), signal)).toBe('absent');
  });

  it('MTX-2 names no destination, and looks at account, room and portal again before anything is sent', async () => {
    expect(Object.keys(new ReadInput())).toEqual(['limit']);
    const elsewhere = { namespace: `matrix:${BOB}:matrix:support:room`, key: SUPPORT };
    expect(() => send().scope({ body: 'x' }, { ...binding(), subject: elsewhere })).toThrow(InvalidInput);
    const another = { ...SUBJECT, key: SALES };
    expect(await fails(send().execute({ body: 'x' }, { ...binding(), subject: another }, KEY))).toMatchObject({
      kind: 'permanent',
      message: expect.stringMatching(/another room/),
    });
    server.world.bridge(SUPPORT, 'whatsapp', BRIDGE, false);
    expect(await fails(write('x'))).toMatchObject({
      name: 'ProviderFault',
      kind: 'permanent',
      message: expect.stringMatching(/connected no more/),
    });
    server.world.bridge(SUPPORT);
    server.world.member(SUPPORT, ADA, 'leave', BOB);
    expect(await fails(write('x'))).toMatchObject({ name: 'ProviderFault', kind: 'permanent' });
    server.world.member(SUPPORT, ADA, 'join');
    server.world.state(SUPPORT, 'm.room.encryption', '', { algorithm: 'm.megolm.v1.aes-sha2' }, BOB);
    expect(await fails(write('x'))).toMatchObject({ kind: 'permanent', message: expect.stringMatching(/is encrypted/) });
    person = connectionOf({ apiUrl: server.url, token: server.tokenFor(BOB), rooms: ROOMS });
    expect(await fails(write('x'))).toMatchObject({ kind: 'unauthorized' });
    expect(server.said(SUPPORT, ADA)).toEqual([]);
  });

  it('MTX-2 is read back as it reads now, in the room that the conversation goes on in', async () => {
    const read = (amount: number) => new RouteRead(clients, NO_CIPHERS).read(limit(amount), binding(), signal);
    const [first, second] = ['one', 'two'].map((text) => server.world.say(SUPPORT, text));
    server.world.send(SUPPORT, 'm.room.message', { msgtype: 'm.image', body: 'a.png' }, BOB);
    if (first) server.world.edit(SUPPORT, first, 'one, corrected');
    if (second) server.world.redact(SUPPORT, second.event_id, BOB);
    server.world.say(SUPPORT, 'three', ADA);
    const { messages } = await read(50);
    expect(messages).toEqual([
      { event_id: first?.event_id, sender: BOB, origin_server_ts: first?.origin_server_ts, body: 'one, corrected' },
      expect.objectContaining({ sender: ADA, body: 'three' }),
    ]);
    expect((await read(1)).messages).toMatchObject([{ body: 'three' }]);
    server.world.upgrade(SUPPORT, '!new:example.org', [ADA, BOB]);
    server.world.bridge('!new:example.org');
    server.world.say('!new:example.org', 'moved');
    expect((await read(1)).messages).toMatchObject([{ body: 'moved' }]);
    await write('to the new room');
    expect(server.said('!new:example.org', ADA)).toHaveLength(1);
  });
});

describe('a thread in a room', () => {
  const control = () => new MatrixControl(clients);
  const wanted: WantedThread = { conversation: 'c-1', subject: SUBJECT, parent: SALES, title: 'Support', known: null };
  const ensure = (more: Partial<WantedThread> = {}) => control().ensureThread({ ...wanted, ...more }, bot, signal);
  const said = () => server.said(SALES, ADA).map(({ content }) => content);

  it('MTX-2 CTL-1 hangs on a message of the bot, is made once, verified, and made anew when it was removed', async () => {
    const thread = await ensure();
    expect(await ensure()).toEqual(thread);
    expect(await ensure({ known: thread })).toEqual(thread);
    expect(server.called('PUT', /\/send\//)).toHaveLength(1);
    server.once(writes, 'drop');
    const other = { ...wanted, conversation: 'c-2' };
    expect(await fails(control().ensureThread(other, bot, signal))).toBeInstanceOf(OutcomeUnknown);
    expect((await control().ensureThread(other, bot, signal)).id).not.toBe(thread.id);
    expect(said()).toHaveLength(2);
    server.world.redact(SALES, thread.id.split('/')[1] ?? '', BOB);
    const again = await ensure({ known: thread });
    expect(again.id).not.toBe(thread.id);
    expect(again.parent).toBe(SALES);
  });

  it('CTL-1 takes no message of a stranger with the same words and marks', async () => {
    const thread = await ensure();
    const [root] = said();
    server.world.redact(SALES, thread.id.split('/')[1] ?? '', BOB);
    const forged = server.world.send(SALES, 'm.room.message', { ...(root as Json) }, BOB);
    expect((await ensure()).id).not.toContain(forged.event_id);
  });

  it('MTX-2 needs the account of a bot, and a room that is read', async () => {
    expect(control().missing(person)).toMatch(/bot: true/);
    expect(control().missing(bot)).toBeNull();
    expect(await fails(control().ensureThread(wanted, person, signal))).toMatchObject({ name: 'ChannelFault', state: 'forbidden' });
    expect(await fails(ensure({ parent: '!elsewhere:example.org' }))).toMatchObject({ state: 'parent_gone' });
    const thread = { parent: SALES, id: `${SALES}/$root`, title: 'x' };
    expect(await fails(control().post(thread, { text: 'x', key: KEY }, person, signal))).toMatchObject({ state: 'forbidden' });
    await control().acknowledge({ thread: null, message: `${SALES}/$event-1`, subject: SUBJECT }, person, signal);
    expect(said()).toEqual([]);
  });

  it('MTX-2 EFF-7 takes a post once, says in words what to press, edits in place, and is found by its key', async () => {
    const thread = await ensure();
    const root = thread.id.split('/')[1];
    const action = { type: 'decision', approval: 'a-1', decision: 'approve' } as const;
    const post = { text: 'May I?', key: KEY, buttons: [{ label: 'Approve', style: 'primary', action }] as const };
    server.once(writes, 'drop');
    expect(await fails(control().post(thread, post, bot, signal))).toBeInstanceOf(OutcomeUnknown);
    const { message } = await control().post(thread, post, bot, signal);
    expect(await control().findMarker(thread, KEY, bot, signal)).toBe(message);
    expect(await control().findMarker(thread, OTHER, bot, signal)).toBeNull();
    expect(said().slice(1)).toMatchObject([
      {
        msgtype: 'm.notice',
        body: 'May I?\n\n• Approve: write `/approve a-1` in this thread',
        'm.relates_to': { rel_type: 'm.thread', event_id: root },
      },
    ]);
    for (const text of ['Yes', 'No', 'Yes']) await control().edit(thread, message, { text, key: KEY }, bot, signal);
    expect(said().at(-1)).toMatchObject({ 'm.new_content': { body: 'Yes' }, 'm.relates_to': { rel_type: 'm.replace', event_id: message } });
    expect(said()).toHaveLength(5);
    expect(await control().findMarker(thread, KEY, bot, signal)).toBe(message);
    await control().rename(thread, 'Support, solved', bot, signal);
    expect(said().at(-1)).toMatchObject({ 'm.relates_to': { rel_type: 'm.replace', event_id: root } });
  });

  it('CTL-6 shows an eye on a message, once', async () => {
    const { event_id: event } = server.world.say(SALES, 'hello');
    for (let i = 0; i < 2; i += 1)
      await control().acknowledge({ thread: null, message: `${SALES}/${event}`, subject: SUBJECT }, bot, signal);
    await new MatrixControl(new Clients()).acknowledge({ thread: null, message: `${SALES}/$gone`, subject: SUBJECT }, bot, signal);
    expect(
      server.said(SALES, ADA).filter(({ type, content }) => type === 'm.reaction' && (content['m.relates_to'] as Json).event_id === event),
    ).toHaveLength(1);
  });

  const CASES: readonly [string, Answer, object][] = [
    [
      'a limit',
      { status: 429, body: { errcode: 'M_LIMIT_EXCEEDED', error: 'x', retry_after_ms: 1_500 } },
      { state: 'rate_limited', retryAfterMs: 1_500 },
    ],
    ['a room that was left', { status: 403, body: { errcode: 'M_FORBIDDEN', error: 'You are not in the room' } }, { state: 'forbidden' }],
    ['an event that is too large', { status: 413, body: { errcode: 'M_TOO_LARGE', error: 'x' } }, { state: 'refused' }],
    ['a token that is gone', { status: 401, body: { errcode: 'M_UNKNOWN_TOKEN', error: 'x' } }, { state: 'forbidden' }],
  ];

  it.each(CASES)('CTL-5 has a state with a next step: %s', async (_, answer, expected) => {
    const thread = await ensure();
    server.once(writes, answer);
    const fault = await fails(control().post(thread, { text: 'x', key: KEY }, bot, signal));
    expect(fault).toMatchObject({ name: 'ChannelFault', ...expected });
    expect(String(fault)).not.toContain(bot.options.token);
  });

  it('refuses what an event has no room for', async () => {
    const thread = await ensure();
    for (const text of ['', 'a'.repeat(7_001)])
      expect(await fails(control().post(thread, { text, key: KEY }, bot, signal))).toMatchObject({ state: 'refused' });
    await control().archive();
    await control().unarchive();
  });
});
