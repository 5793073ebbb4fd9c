import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigFault, type Fields } from 'throughline/plugin';
import type { Cipher } from '../../../plugins/matrix/cipher.js';
import { Clients } from '../../../plugins/matrix/clients.js';
import { RouteSend } from '../../../plugins/matrix/matrix.tools.js';
import { OlmCiphers } from '../../../plugins/matrix/olm-ciphers.js';
import { sync } from '../../../plugins/matrix/sync.js';
import { ADA, BOB, Homeserver } from '../../fakes/matrix/homeserver.js';
import type { Json } from '../../fakes/matrix/world.js';
import { Person } from './matrix.devices.js';
import { connection as connectionOf, SUPPORT } from './matrix.rooms.js';

const signal = new AbortController().signal;
const fails = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);

describe('an encrypted room', () => {
  let server: Homeserver;
  let folder: string;
  let token: string;
  let since: string | null;
  const store = () => ({ folder, key: Buffer.alloc(32, 5).toString('base64') });
  const connection = (change: Json = {}) => connectionOf({ apiUrl: server.url, token, encryption: true, store: store(), ...change });

  beforeEach(async () => {
    server = await Homeserver.start();
    server.world.addRoom(SUPPORT);
    server.world.state(SUPPORT, 'm.room.encryption', '', { algorithm: 'm.megolm.v1.aes-sha2' }, BOB);
    token = server.tokenFor();
    folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-matrix-'));
    since = null;
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A start of the server: what it knows is what its folder holds. */
  const started = async (change: Json = {}) => {
    const clients = new Clients();
    const at = connection(change);
    const { ask } = await clients.of(at);
    const ciphers = new OlmCiphers();
    const cipher = (await ciphers.of(at, ask, signal)) as Cipher;
    const receive = async () => {
      const synced = await sync(ask, since, [SUPPORT], 0, signal);
      const came = await cipher.receive(ask, synced.answer, signal);
      since = synced.next;
      return came;
    };
    return { clients, ciphers, cipher, receive, at };
  };
  const event = (id: string) => server.world.room(SUPPORT).timeline.find((each) => each.event.event_id === id)?.event as Fields;

  it('MTX-1 is read with the keys of the device, which a restart finds in its folder', async () => {
    const bob = await Person.of(server);
    const before = await started();
    const first = await bob.say(SUPPORT, 'a secret', [ADA]);
    expect(await before.cipher.decrypt(event(first), SUPPORT)).toBeNull();
    expect(await before.receive()).toBe(true);
    expect(await before.cipher.decrypt(event(first), SUPPORT)).toMatchObject({ type: 'm.room.message', content: { body: 'a secret' } });
    const after = await started();
    expect(await after.cipher.decrypt(event(first), SUPPORT)).toMatchObject({ content: { body: 'a secret' } });
    const second = await bob.say(SUPPORT, 'another', [ADA]);
    await after.receive();
    expect(await after.cipher.decrypt(event(second), SUPPORT)).toMatchObject({ content: { body: 'another' } });
  });

  it('MTX-1 loses no key by a crash before the page was stored: it is told again, and is known', async () => {
    const bob = await Person.of(server);
    const crashed = await started();
    await crashed.receive();
    const id = await bob.say(SUPPORT, 'a secret', [ADA]);
    const kept = since;
    await crashed.receive();
    since = kept;
    const after = await started();
    await after.receive();
    expect(await after.cipher.decrypt(event(id), SUPPORT)).toMatchObject({ content: { body: 'a secret' } });
  });

  it('MTX-2 is written to encrypted, for every device in it, also right after a restart', async () => {
    const bob = await Person.of(server);
    await started();
    const { clients, ciphers, at, cipher } = await started();
    const subject = { namespace: `matrix:${ADA}:matrix:support:room`, key: SUPPORT };
    const send = new RouteSend(clients, ciphers);
    const written: Json[] = [];
    for (const body of ['from the agent', 'and more']) {
      await send.execute({ body }, { connection: at, conversation: 'c', subject }, `key of ${body}`);
      written.push(server.said(SUPPORT, ADA).at(-1) as Json);
    }
    expect(written.map(({ type }) => type)).toEqual(['m.room.encrypted', 'm.room.encrypted']);
    expect(JSON.stringify(server.calls.map(({ body }) => body))).not.toContain('from the agent');
    expect(await bob.read(written[0] ?? {}, SUPPORT)).toMatchObject({ body: 'from the agent' });
    expect(await bob.read(written[1] ?? {}, SUPPORT)).toMatchObject({ body: 'and more' });
    expect(await cipher.decrypt(written[1] as Fields, SUPPORT)).toMatchObject({ content: { body: 'and more' } });
  });

  it('MTX-1 its keys lie encrypted, open with their own key and for their own device alone, and are one server’s', async () => {
    const first = await started();
    const [name = ''] = readdirSync(folder);
    const file = path.join(folder, name);
    expect(name).toBe('default.matrix.keys');
    const bytes = readFileSync(file);
    expect(bytes.includes('ed25519') || bytes.includes('curve25519') || bytes.includes(ADA)).toBe(false);
    const other = { ...store(), key: Buffer.alloc(32, 6).toString('base64') };
    expect(await fails(started({ store: other }))).toMatchObject({ name: 'ConfigFault', message: expect.stringMatching(/does not open/) });
    expect(await fails(started({ token: server.tokenFor(ADA, 'ANOTHER') }))).toBeInstanceOf(ConfigFault);
    writeFileSync(file, Buffer.concat([bytes.subarray(0, -1), Buffer.from([(bytes.at(-1) ?? 0) ^ 1])]));
    expect(await fails(started())).toBeInstanceOf(ConfigFault);
    writeFileSync(file, bytes);
    const second = await started();
    await (await Person.of(server)).say(SUPPORT, 'x', [ADA]);
    expect(await second.receive()).toBe(true);
    since = null;
    await (await Person.of(server, '@carl:example.org')).say(SUPPORT, 'y', [ADA]).catch(() => undefined);
    expect(await fails(first.receive())).toMatchObject({ name: 'ConfigFault', message: expect.stringMatching(/another server/) });
  });

  it('MTX-1 a device whose keys were lost is not used again: others would go on to encrypt to those', async () => {
    await started();
    rmSync(folder, { recursive: true });
    expect(await fails(started())).toMatchObject({ name: 'ConfigFault', message: expect.stringMatching(/bring the snapshot back/) });
  });
});
