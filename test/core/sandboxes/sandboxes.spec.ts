import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  findStanding,
  insertSandbox,
  type NewSandbox,
  readSandbox,
  requestDeletion,
  type SandboxRow,
  sandboxChoreFailed,
  sandboxLost,
  sandboxPaused,
  sandboxReady,
  sandboxRemoved,
  saveMade,
  takeChores,
  touchSandbox,
} from '../../../src/core/sandboxes/sandboxes.js';
import { standingIn } from '../../../src/core/sandboxes/standing.js';
import { openSecret, sealSecret } from '../../../src/core/secret-seal.js';
import type { Tx } from '../../../src/database/tx.js';
import { Dispatching } from '../../automations/runs/dispatching.js';
import { comment } from '../builders.js';
import { eachCore } from '../core.js';

const POLICY = { idleMs: 1_800_000, keepMs: 604_800_000 };
const PLACE = { url: 'http://127.0.0.1:1', secret: Buffer.from('sealed') };
const MADE = { remoteId: 'r-1', process: { pid: 4711, startedAt: 'then' } };

eachCore('sandboxes', (open) => {
  let runs: Dispatching;
  let wanted: NewSandbox;

  const within = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => runs.core.database.transaction(work);
  const put = (change: Partial<NewSandbox> = {}) => within((tx) => insertSandbox(tx, { ...wanted, ...change }));
  const row = () => within((tx) => readSandbox(tx, wanted.id)) as Promise<SandboxRow>;
  const chores = async () => {
    const taken = await within((tx) => takeChores(tx, POLICY, { limit: 10, workMs: 60_000 }));
    return taken.map(({ row: { id }, chore }) => [id, chore]);
  };
  const endRun = (id = wanted.run) =>
    runs.core.change("update runs set state = 'completed', ended_at = 1, released_at = 1 where id = ?", id);
  const agoMs = (column: string, ms: number) =>
    runs.core.change(`update sandboxes set ${column} = ${column} - ? where id = ?`, ms, wanted.id);
  /** It is there, and its run is over and has kept it. */
  const keep = async () => {
    await put();
    await within((tx) => saveMade(tx, wanted.id, MADE));
    await within((tx) => sandboxReady(tx, wanted.id, PLACE));
    await endRun();
    await within((tx) => tx.run(`update sandboxes set idle_at = ${tx.dialect.now} where id = ?`, [wanted.id]));
  };

  beforeEach(async () => {
    runs = await Dispatching.over(open());
    await runs.automated.make();
    await runs.core.admitAll(comment('T-1', 'one'));
    const run = await runs.begin();
    wanted = {
      ...{ id: randomUUID(), org: 'default', kind: 'local', runtime: 'box' },
      ...{ run: run.id, conversation: run.conversation, folder: 'sandboxes/1' },
    };
  });
  afterEach(() => runs.stop());

  it('AUT-11 a sandbox is stored before it is made, and once for a run that tries again', async () => {
    expect(await put()).toMatchObject({ ...wanted, state: 'creating', remote_id: null });
    expect(await put({ id: randomUUID() })).toMatchObject({ id: wanted.id });
    expect(await within((tx) => findStanding(tx, wanted.conversation))).toBeNull();
    expect(await within((tx) => standingIn(tx, [wanted.conversation]))).toEqual([]);
  });

  it('AUT-11 a conversation has one sandbox at any moment: another run does not get it while its run lives', async () => {
    await put();
    expect(await put({ id: randomUUID(), run: randomUUID() })).toBeNull();
  });

  it('AUT-5 a sandbox that was kept is taken over by the next run of its conversation', async () => {
    await keep();
    const next = randomUUID();
    expect(await put({ id: randomUUID(), run: next })).toMatchObject({ id: wanted.id, run: next, state: 'ready', idle_at: null });
  });

  it.each([
    ['is to be removed', 'update sandboxes set delete_at = 1'],
    ['is of another runtime', "update sandboxes set runtime = 'other'"],
    ['was never made', "update sandboxes set state = 'creating'"],
  ])('a sandbox of an earlier run that %s makes room for a new one', async (_, change) => {
    await keep();
    await runs.core.change(change);
    const [id, run] = [randomUUID(), randomUUID()];
    expect(await put({ id, run })).toMatchObject({ id, run, state: 'creating' });
    expect(await row()).toMatchObject({ state: 'deleting' });
  });

  it('AUT-5 a sandbox stands for its conversation while it is ready or asleep, and not once it is to be removed', async () => {
    await keep();
    const standing = async () => [
      (await within((tx) => findStanding(tx, wanted.conversation)))?.state ?? null,
      (await within((tx) => standingIn(tx, [wanted.conversation]))).length,
    ];
    expect(await standing()).toEqual(['ready', 1]);
    const { idle_at } = await row();
    expect(await within((tx) => sandboxPaused(tx, { id: wanted.id, idle_at }))).toBe(true);
    expect(await standing()).toEqual(['paused', 1]);
    expect(await within((tx) => requestDeletion(tx, wanted.id))).toBe(true);
    expect(await standing()).toEqual([null, 0]);
  });

  it('AUT-11 what is made for a run that was cancelled meanwhile is known, not wanted, and removed', async () => {
    await put();
    await within((tx) => requestDeletion(tx, wanted.id));
    expect(await chores()).toEqual([[wanted.id, 'delete']]);
    expect(await within((tx) => saveMade(tx, wanted.id, MADE))).toBe(false);
    expect(await within((tx) => sandboxReady(tx, wanted.id, PLACE))).toBe(false);
    expect(await row()).toMatchObject({ state: 'deleting', remote_id: 'r-1', process_id: 4711, process_started: 'then' });
  });

  it('AUT-11 what turns out to have been made after it was taken for removed is removed', async () => {
    await put();
    await within((tx) => requestDeletion(tx, wanted.id));
    await chores();
    await within((tx) => sandboxRemoved(tx, wanted.id));
    expect(await within((tx) => saveMade(tx, wanted.id, MADE))).toBe(false);
    expect(await row()).toMatchObject({ state: 'deleting', remote_id: 'r-1' });
    expect(await chores()).toEqual([[wanted.id, 'delete']]);
  });

  it('AUT-11 a sandbox whose run is over and did not keep it is deleted, and tried again until it is gone', async () => {
    await put();
    expect(await chores()).toEqual([]);
    await endRun();
    expect(await chores()).toEqual([[wanted.id, 'delete']]);
    expect(await chores()).toEqual([]);
    await within((tx) => sandboxChoreFailed(tx, wanted.id, 'down', 0));
    expect(await chores()).toEqual([[wanted.id, 'delete']]);
    expect(await row()).toMatchObject({ attempts: 1, failure: 'down' });
    expect(await within((tx) => sandboxRemoved(tx, wanted.id))).toBe(true);
    await agoMs('due_at', 0);
    expect(await chores()).toEqual([]);
    expect(await within((tx) => sandboxRemoved(tx, wanted.id))).toBe(false);
  });

  it('AUT-11 a sandbox that nobody has used for a while sleeps, and after a week is deleted; a message puts that off', async () => {
    await keep();
    expect(await chores()).toEqual([]);
    await agoMs('idle_at', POLICY.idleMs);
    await within((tx) => touchSandbox(tx, wanted.id));
    expect(await chores()).toEqual([]);
    await agoMs('idle_at', POLICY.idleMs);
    expect(await chores()).toEqual([[wanted.id, 'pause']]);
    await within(async (tx) => sandboxPaused(tx, (await readSandbox(tx, wanted.id)) as SandboxRow));
    expect(await chores()).toEqual([]);
    await agoMs('idle_at', POLICY.keepMs);
    expect(await chores()).toEqual([[wanted.id, 'delete']]);
  });

  it('AUT-11 a sandbox in which a turn goes on does not sleep, however long that takes', async () => {
    await keep();
    await runs.core.claimOne();
    await agoMs('idle_at', POLICY.idleMs);
    expect(await chores()).toEqual([]);
  });

  it('AUT-11 one that was used while it was put to sleep stays ready', async () => {
    await keep();
    const asleep = await row();
    await agoMs('idle_at', 1);
    expect(await within((tx) => sandboxPaused(tx, asleep))).toBe(false);
    expect(await row()).toMatchObject({ state: 'ready' });
  });

  it('AUT-5 a sandbox that was found to be gone keeps no key and no address', async () => {
    await keep();
    expect(await within((tx) => sandboxLost(tx, wanted.id, 'expired'))).toBe(true);
    expect(await row()).toMatchObject({ state: 'gone', failure: 'expired', secret: null, url: null });
    expect(await within((tx) => sandboxReady(tx, wanted.id, PLACE))).toBe(false);
  });
});

describe('a sealed secret', () => {
  const key = randomBytes(32);

  it('is opened with its key, for what it was sealed for, and unchanged', () => {
    const sealed = sealSecret(key, 'sandbox:1', 'Schlüssel');
    expect(openSecret(key, 'sandbox:1', sealed)).toBe('Schlüssel');
    expect(sealed.includes('Schl')).toBe(false);
    expect(sealSecret(key, 'sandbox:1', 'Schlüssel')).not.toEqual(sealed);
    const changed = Buffer.from(sealed);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    expect(() => openSecret(key, 'sandbox:1', changed)).toThrow('cannot be opened');
    expect(() => openSecret(key, 'sandbox:2', sealed)).toThrow('cannot be opened');
    expect(() => openSecret(randomBytes(32), 'sandbox:1', sealed)).toThrow('cannot be opened');
    expect(() => openSecret(key, 'sandbox:1', sealed.subarray(0, 20))).toThrow('not one that this version has sealed');
  });
});
