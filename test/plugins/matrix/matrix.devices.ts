import type { Ask } from '../../../plugins/matrix/matrix.api.js';
import { pathOf } from '../../../plugins/matrix/matrix.api.js';
import { type CryptoKit, createClient, loadCrypto, type Machine, type MachineRequest } from '../../../plugins/matrix/matrix.client.js';
import { BOB, type Homeserver } from '../../fakes/matrix/homeserver.js';
import type { Json } from '../../fakes/matrix/world.js';
import { options } from './matrix.rooms.js';

const PATHS: Readonly<Record<number, `/${string}`>> = { 0: '/keys/upload', 1: '/keys/query', 2: '/keys/claim' };
const signal = new AbortController().signal;

/** Another person's client, which encrypts what it says. */
export class Person {
  private constructor(
    private readonly kit: CryptoKit,
    private readonly machine: Machine,
    private readonly ask: Ask,
    private since: string | null,
  ) {}

  static async of(server: Homeserver, user = BOB): Promise<Person> {
    const kit = await loadCrypto();
    const { crypto } = kit;
    const machine = await crypto.OlmMachine.initialize(new crypto.UserId(user), new crypto.DeviceId('PERSON'));
    const { ask } = createClient(options({ apiUrl: server.url, user, token: server.tokenFor(user, 'PERSON') }));
    const person = new Person(kit, machine, ask, null);
    await person.drain();
    return person;
  }

  /** Says something encrypted to the devices of these users. Resolves to the event's id. */
  async say(room: string, body: string, users: readonly string[]): Promise<string> {
    const { UserId, RoomId } = this.kit.crypto;
    const all = () => users.map((user) => new UserId(user));
    await this.machine.updateTrackedUsers(all());
    await this.drain();
    const claim = await this.machine.getMissingSessions(all());
    if (claim) await this.perform(claim);
    for (const share of await this.machine.shareRoomKey(new RoomId(room), all(), this.kit.settings())) await this.perform(share);
    const content = JSON.parse(
      await this.machine.encryptRoomEvent(new RoomId(room), 'm.room.message', JSON.stringify({ msgtype: 'm.text', body })),
    ) as Json;
    const answer = await this.ask({
      method: 'PUT',
      path: pathOf('rooms', room, 'send', 'm.room.encrypted', `t-${body}`),
      body: content,
      signal,
    });
    return String(answer.event_id);
  }

  /** What this person reads of an event. */
  async read(event: Json, room: string): Promise<Json> {
    await this.sync();
    const { RoomId, DecryptionSettings, TrustRequirement } = this.kit.crypto;
    const settings = new DecryptionSettings(TrustRequirement.Untrusted);
    const decrypted = await this.machine.decryptRoomEvent(JSON.stringify(event), new RoomId(room), settings);
    return (JSON.parse(decrypted.event) as { content: Json }).content;
  }

  private async sync(): Promise<void> {
    const answer = await this.ask({
      method: 'GET',
      path: '/sync',
      query: { timeout: '0', ...(this.since !== null && { since: this.since }) },
      signal,
    });
    this.since = String(answer.next_batch);
    const { events } = answer.to_device as { events: unknown[] };
    const counts = new Map(Object.entries(answer.device_one_time_keys_count as Record<string, number>));
    await this.machine.receiveSyncChanges(JSON.stringify(events), new this.kit.crypto.DeviceLists(), counts);
    await this.drain();
  }

  private async drain(): Promise<void> {
    for (const request of await this.machine.outgoingRequests()) await this.perform(request);
  }

  private async perform(request: MachineRequest): Promise<void> {
    const body = JSON.parse(request.body) as Json;
    const isMessage = 'txn_id' in request;
    const path = isMessage ? pathOf('sendToDevice', request.event_type, request.txn_id) : (PATHS[request.type] ?? '/keys/unknown');
    const answer = await this.ask({ method: isMessage ? 'PUT' : 'POST', path, body, signal });
    if (request.id !== undefined) await this.machine.markRequestAsSent(request.id, request.type, JSON.stringify(answer));
  }
}
