import { deserialize, serialize } from 'node:v8';
import { type Fields, fields, list } from 'throughline/plugin';
import type { Cipher } from './cipher.js';
import { MatrixFailure } from './failure.js';
import { copyOut, type DatabaseCopy } from './idb-copy.js';
import { type Ask, pathOf } from './matrix.api.js';
import type { CryptoKit, Machine, MachineRequest } from './matrix.client.js';
import type { Snapshot } from './snapshot.js';

/** As many rounds of requests as one answer may lead to. */
const MOST_ROUNDS = 5;

const PATHS: Readonly<Record<number, `/${string}`>> = {
  0: '/keys/upload',
  1: '/keys/query',
  2: '/keys/claim',
  4: '/keys/signatures/upload',
};
const TO_DEVICE = 3;

/** One device with its keys. What it does is done one after the other, and nothing is told to others that is not stored before. */
export class OlmCipher implements Cipher {
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly kit: CryptoKit,
    private readonly machine: Machine,
    private readonly snapshot: Snapshot,
    /** Prefix of the names of its databases. */
    private readonly store: string,
  ) {}

  receive(ask: Ask, answer: Fields, signal: AbortSignal): Promise<boolean> {
    return this.inTurn(async () => {
      const messages = list(fields(answer.to_device)?.events);
      const lists = fields(answer.device_lists) ?? {};
      const { UserId, DeviceLists } = this.kit.crypto;
      const [changed, left] = [usersOf(lists.changed), usersOf(lists.left)].map((users) => users.map((user) => new UserId(user)));
      const hasNews = messages.length > 0 || (changed?.length ?? 0) > 0 || (left?.length ?? 0) > 0;
      const fallback = answer.device_unused_fallback_key_types;
      await this.machine.receiveSyncChanges(
        JSON.stringify(messages),
        new DeviceLists(changed, left),
        countsOf(answer.device_one_time_keys_count),
        Array.isArray(fallback) ? new Set(fallback.map(String)) : undefined,
      );
      if (hasNews) await this.save();
      await this.drain(ask, signal).catch((error: unknown) => {
        // Asked again after the next sync.
        if (!(error instanceof MatrixFailure) || error.kind === 'signed_out') throw error;
      });
      return messages.length > 0;
    });
  }

  decrypt(event: Fields, room: string): Promise<Fields | null> {
    return this.inTurn(async () => {
      const { RoomId, DecryptionSettings, TrustRequirement } = this.kit.crypto;
      const settings = new DecryptionSettings(TrustRequirement.Untrusted);
      try {
        const decrypted = await this.machine.decryptRoomEvent(JSON.stringify(event), new RoomId(room), settings);
        return fields(JSON.parse(decrypted.event)) ?? null;
      } catch {
        return null;
      }
    });
  }

  encrypt(ask: Ask, room: string, type: string, content: Fields, signal: AbortSignal): Promise<Fields> {
    return this.inTurn(async () => {
      const { UserId, RoomId } = this.kit.crypto;
      const members = Object.keys(
        fields((await ask({ method: 'GET', path: pathOf('rooms', room, 'joined_members'), signal })).joined) ?? {},
      );
      const users = () => members.map((member) => new UserId(member));
      await this.machine.updateTrackedUsers(users());
      await this.drain(ask, signal);
      const claim = await this.machine.getMissingSessions(users());
      if (claim) await this.perform(claim, ask, signal);
      const shares = await this.machine.shareRoomKey(new RoomId(room), users(), this.kit.settings());
      const encrypted = await this.machine.encryptRoomEvent(new RoomId(room), type, JSON.stringify(content));
      // A key that was used for one message must never be used for another, whatever happens now.
      await this.save();
      for (const share of shares) await this.perform(share, ask, signal);
      if (shares.length > 0) await this.save();
      return fields(JSON.parse(encrypted)) ?? {};
    });
  }

  /** What the device has to ask and tell. Keys that are told are stored before. */
  async drain(ask: Ask, signal: AbortSignal): Promise<void> {
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const requests = await this.machine.outgoingRequests();
      if (requests.length === 0) return;
      await this.save();
      for (const request of requests) await this.perform(request, ask, signal);
      await this.save();
    }
  }

  async save(): Promise<void> {
    await this.snapshot.write(serialize(await copyOut(this.kit.idb, this.store)));
  }

  private async perform(request: MachineRequest, ask: Ask, signal: AbortSignal): Promise<void> {
    const answer = await ask({ ...this.callOf(request), body: fields(JSON.parse(request.body)) ?? {}, signal });
    if (request.id !== undefined) await this.machine.markRequestAsSent(request.id, request.type, JSON.stringify(answer));
  }

  private callOf(request: MachineRequest): { method: 'POST' | 'PUT'; path: `/${string}` } {
    if (request.type === TO_DEVICE && 'txn_id' in request)
      return { method: 'PUT', path: pathOf('sendToDevice', request.event_type, request.txn_id) };
    const path = PATHS[request.type];
    if (path === undefined) throw new Error(`a request of the kind ${request.type} is nothing that this device does`);
    return { method: 'POST', path };
  }

  private inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.last.then(work, work);
    this.last = mine.catch(() => undefined);
    return mine;
  }
}

/** The databases of a snapshot. */
export function readSnapshot(content: Buffer): readonly DatabaseCopy[] {
  return deserialize(content) as readonly DatabaseCopy[];
}

function usersOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((user): user is string => typeof user === 'string') : [];
}

function countsOf(value: unknown): Map<string, number> {
  return new Map(Object.entries(fields(value) ?? {}).flatMap(([name, count]) => (typeof count === 'number' ? [[name, count]] : [])));
}
