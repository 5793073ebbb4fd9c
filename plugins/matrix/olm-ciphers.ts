import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { ConfigFault, type Connection, word } from 'throughline/plugin';
import type { Cipher, Ciphers } from './cipher.js';
import { copyIn } from './idb-copy.js';
import type { Ask } from './matrix.api.js';
import type { MatrixConnection, MatrixStore } from './matrix.options.js';
import { OlmCipher, readSnapshot } from './olm-cipher.js';
import { keysOf, Snapshot } from './snapshot.js';

type At = Connection<MatrixConnection>;

/** The devices of the connections that have encryption, each opened once in a process. */
export class OlmCiphers implements Ciphers {
  private readonly opened = new Map<string, Promise<Cipher>>();

  async of(connection: At, ask: Ask, signal: AbortSignal): Promise<Cipher | null> {
    const { encryption, store } = connection.options;
    if (!encryption || store === undefined) return null;
    const key = `${connection.org}/${connection.name}`;
    const opened = this.opened.get(key) ?? openDevice(connection, store, ask, signal);
    this.opened.set(key, opened);
    return opened.catch((error: unknown) => {
      this.opened.delete(key);
      throw error;
    });
  }
}

/** The device as it was left, or a new one, whose keys are made known. */
async function openDevice({ org, name, options: { user } }: At, store: MatrixStore, ask: Ask, signal: AbortSignal): Promise<Cipher> {
  const device = word((await ask({ method: 'GET', path: '/account/whoami', signal })).device_id);
  if (device === undefined) throw new ConfigFault('the token has no device, which encryption needs: log in anew and set that token');
  const { loadCrypto } = await import('./matrix.client.js');
  const kit = await loadCrypto();
  const owner = `${user} ${device}`;
  const keys = await keysOf(store, owner);
  const snapshot = new Snapshot(path.resolve(store.folder, `${org}.${name}.keys`), keys.file, owner);
  // The databases are in memory; the name keeps two openings of one device apart.
  const prefix = `throughline-${randomUUID()}`;
  const content = await snapshot.read();
  if (content !== null) await copyIn(kit.idb, prefix, readSnapshot(content));
  const machine = await kit.openMachine(user, device, prefix, keys.device);
  const cipher = new OlmCipher(kit, machine, snapshot, prefix);
  if (content === null) await checkIsNew(ask, user, device, signal);
  await cipher.drain(ask, signal);
  return cipher;
}

/** A device that has keys already has them elsewhere: others would go on to encrypt to those. */
async function checkIsNew(ask: Ask, user: string, device: string, signal: AbortSignal): Promise<void> {
  const answer = await ask({ method: 'POST', path: '/keys/query', body: { device_keys: { [user]: [device] } }, signal });
  const { device_keys: known } = answer as { device_keys?: Record<string, Record<string, unknown>> };
  if (known?.[user]?.[device] === undefined) return;
  throw new ConfigFault(
    `the device ${device} of ${user} has keys that are not in \`store.folder\`: bring the snapshot back, or log in as a new device and set its token`,
  );
}
