import { first, type Scalar, type Tx } from '../../database/tx.js';
import { type EventOf, quoted } from '../machine.js';
import { LIVE } from '../runs/run.js';
import { HELD, type SandboxState, STANDING, sandbox } from './sandbox.js';

export interface NewSandbox {
  readonly id: string;
  readonly org: string;
  readonly kind: 'local' | 'remote';
  readonly runtime: string;
  readonly run: string;
  readonly conversation: string;
  /** Of a local one, below the data folder. */
  readonly folder: string | null;
}

export interface SandboxRow extends NewSandbox {
  readonly state: SandboxState;
  readonly remote_id: string | null;
  readonly url: string | null;
  /** Sealed: the key of its agent server. */
  readonly secret: Buffer | null;
  readonly process_id: number | null;
  readonly process_started: string | null;
  /** Since when nobody has used it. Null: its run is at it. */
  readonly idle_at: number | null;
  readonly delete_at: number | null;
  readonly attempts: number;
  /** When it is looked at next. Null: nothing is to be done about it. */
  readonly due_at: number | null;
  readonly failure: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** What is known of it as soon as it is made. */
export interface Made {
  readonly remoteId: string | null;
  readonly process: { readonly pid: number; readonly startedAt: string } | null;
}

export interface KeptPolicy {
  readonly idleMs: number;
  readonly keepMs: number;
}

export type Chore = 'pause' | 'delete';

/** Its run is not on any more, or was never there. */
const UNCLAIMED = `not exists (select 1 from runs r where r.id = s.run and r.state in (${quoted(LIVE)}))`;

/**
 * The sandbox of a run, stored before anything is made. A conversation has one: what the run had stored before is answered again, and one
 * that was kept by an earlier run is this one's now. Null: a live run has it.
 */
export async function insertSandbox(tx: Tx, wanted: NewSandbox): Promise<SandboxRow | null> {
  const { id, org, kind, runtime, run, conversation, folder } = wanted;
  const { now } = tx.dialect;
  await leaveOrAdopt(tx, wanted);
  await tx.run(
    `insert into sandboxes (id, org, kind, runtime, run, conversation, state, folder, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, 'creating', ?, ${now}, ${now})
     on conflict (conversation) where state in (${quoted(HELD)}) do nothing`,
    [id, org, kind, runtime, run, conversation, folder],
  );
  const held = await findHeld(tx, conversation);
  return held?.run === run ? held : null;
}

/** What an earlier run left to the conversation: it goes where it is not wanted, was not made, or is of another runtime; else it is taken over. */
async function leaveOrAdopt(tx: Tx, { run, runtime, conversation }: NewSandbox): Promise<void> {
  const { now } = tx.dialect;
  const left = `s.conversation = ? and s.run <> ? and s.state in (${quoted(HELD)}) and ${UNCLAIMED}`;
  await tx.run(
    `update sandboxes as s set state = '${sandbox.target('delete')}', delete_at = coalesce(delete_at, ${now}), due_at = null
      where ${left} and (s.delete_at is not null or s.state not in (${quoted(STANDING)}) or s.runtime <> ?)`,
    [conversation, run, runtime],
  );
  await tx.run(`update sandboxes as s set run = ?, idle_at = null, updated_at = ${now} where ${left}`, [run, conversation, run]);
}

export function readSandbox(tx: Tx, id: string): Promise<SandboxRow | null> {
  return first(tx, 'select * from sandboxes where id = ?', [id]);
}

function findHeld(tx: Tx, conversation: string): Promise<SandboxRow | null> {
  return first(tx, `select * from sandboxes where conversation = ? and state in (${quoted(HELD)})`, [conversation]);
}

/** Where messages of the conversation go, be it asleep; null: nowhere, or what is there is to be removed. */
export async function findStanding(tx: Tx, conversation: string): Promise<SandboxRow | null> {
  const held = await findHeld(tx, conversation);
  return held !== null && held.delete_at === null && STANDING.includes(held.state) ? held : null;
}

/**
 * False: it is not wanted any more, and whoever makes it may stop. It is removed by what is stored here, also where it was taken for
 * removed before anybody knew that it had been made.
 */
export async function saveMade(tx: Tx, id: string, { remoteId, process }: Made): Promise<boolean> {
  const found = sandbox.sources('find');
  const row = await first<{ state: SandboxState; delete_at: number | null }>(
    tx,
    `update sandboxes set remote_id = ?, process_id = ?, process_started = ?, updated_at = ${tx.dialect.now},
        due_at = case when state in (${quoted(found)}) then null else due_at end,
        state = case when state in (${quoted(found)}) then '${sandbox.target('find')}' else state end
      where id = ? returning state, delete_at`,
    [remoteId, process?.pid ?? null, process?.startedAt ?? null, id],
  );
  return row !== null && HELD.includes(row.state) && row.delete_at === null;
}

/** Its agent server answers there. False: it is not wanted any more. */
export function sandboxReady(tx: Tx, id: string, place: { readonly url: string; readonly secret: Buffer | null }): Promise<boolean> {
  const set = 'url = ?, secret = ?, attempts = 0, due_at = null, failure = null';
  return step(tx, id, 'ready', set, [place.url, place.secret], 'and delete_at is null');
}

/** A message is on its way to it: it is not idle. */
export async function touchSandbox(tx: Tx, id: string): Promise<void> {
  await tx.run(`update sandboxes set idle_at = ${tx.dialect.now} where id = ? and idle_at is not null`, [id]);
}

/** It sleeps. False: it was used meanwhile, and whoever did that has woken it. */
export function sandboxPaused(tx: Tx, { id, idle_at }: Pick<SandboxRow, 'id' | 'idle_at'>): Promise<boolean> {
  return step(tx, id, 'pause', 'due_at = null, attempts = 0', [], 'and idle_at = ?', [idle_at]);
}

/** It is removed by whoever looks after sandboxes, also where it is not made yet. */
export async function requestDeletion(tx: Tx, id: string): Promise<boolean> {
  const { now } = tx.dialect;
  const set = `delete_at = coalesce(delete_at, ${now}), updated_at = ${now}`;
  return (await tx.run(`update sandboxes set ${set} where id = ? and state in (${quoted(HELD)})`, [id])) === 1;
}

/** It was found to be gone. */
export function sandboxLost(tx: Tx, id: string, why: string): Promise<boolean> {
  return step(tx, id, 'lose', 'failure = ?, secret = null, url = null, due_at = null', [why]);
}

/** It is removed. */
export function sandboxRemoved(tx: Tx, id: string): Promise<boolean> {
  return step(tx, id, 'remove', 'secret = null, url = null, due_at = null, failure = null', []);
}

/** It could not be removed, or put to sleep, and that is tried again after the pause. */
export async function sandboxChoreFailed(tx: Tx, id: string, why: string, pauseMs: number): Promise<void> {
  const set = `attempts = attempts + 1, failure = ?, due_at = ${tx.dialect.now} + ?`;
  await tx.run(`update sandboxes set ${set} where id = ? and state <> 'gone'`, [why, pauseMs, id]);
}

type SandboxEvent = EventOf<typeof sandbox.table>;

async function step(
  tx: Tx,
  id: string,
  event: SandboxEvent,
  set: string,
  values: readonly Scalar[],
  and = '',
  more: readonly Scalar[] = [],
) {
  const count = await tx.run(
    `update sandboxes set state = '${sandbox.target(event)}', ${set}, updated_at = ${tx.dialect.now}
      where id = ? and state in (${quoted(sandbox.sources(event))}) ${and}`,
    [...values, id, ...more],
  );
  return count === 1;
}

/** Nobody's: its run is over and has not said that it is kept. */
const OWNERLESS = `(s.idle_at is null and ${UNCLAIMED})`;
/** No turn of its conversation is on its way. */
const UNUSED = 'not exists (select 1 from queues q where q.conversation = s.conversation and q.owner is not null)';

/**
 * Takes sandboxes about which something is to be done, so that no other replica does it within `workMs`: those that nobody needs are
 * deleted from now on, and those that nobody has used for a while sleep.
 */
export async function takeChores(
  tx: Tx,
  { idleMs, keepMs }: KeptPolicy,
  { limit, workMs }: { readonly limit: number; readonly workMs: number },
): Promise<{ readonly row: SandboxRow; readonly chore: Chore }[]> {
  const { now } = tx.dialect;
  const unneeded = `s.state = 'deleting' or s.delete_at <= ${now} or ${OWNERLESS} or (s.state = 'paused' and s.idle_at <= ${now} - ? and ${UNUSED})`;
  const idle = `s.state in (${quoted(sandbox.sources('pause'))}) and s.idle_at <= ${now} - ? and ${UNUSED}`;
  const due = await tx.all<{ id: string; chore: Chore }>(
    `select s.id, case when ${unneeded} then 'delete' else 'pause' end as chore from sandboxes s
      where s.state <> 'gone' and (s.due_at is null or s.due_at <= ${now}) and (${unneeded} or (${idle}))
      order by s.id limit ?${tx.dialect.forUpdateSkipLocked}`,
    [keepMs, keepMs, idleMs, limit],
  );
  const taken: { row: SandboxRow; chore: Chore }[] = [];
  for (const { id, chore } of due) {
    const state = chore === 'delete' ? `'${sandbox.target('delete')}'` : 'state';
    const row = await first<SandboxRow>(
      tx,
      `update sandboxes set state = ${state}, due_at = ${now} + ?, updated_at = ${now} where id = ? and state <> 'gone' returning *`,
      [workMs, id],
    );
    if (row !== null) taken.push({ row, chore });
  }
  return taken;
}
