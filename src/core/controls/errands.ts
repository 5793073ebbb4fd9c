import { v5 } from 'uuid';
import { first, type Insertion, marks, type Tx, type Value } from '../../database/tx.js';
import { quoted } from '../machine.js';
import { ENDED, type ErrandBodies, type ErrandKind, errand, IN_HAND, OPEN } from './errand.js';

/** Pinned for ever: what was shown before a restart is found again by it. */
const SLOTS = '0f6f1d5c-7f0e-4b63-9a53-2f3c7e4c5d11';

/** The same parts give the same slot, so that a thing to be done is put down once, whoever does it and however often. */
export function slotOf(...parts: readonly (string | number)[]): string {
  return v5(JSON.stringify(parts), SLOTS);
}

export interface NewErrand<Kind extends ErrandKind = ErrandKind> {
  /** Null: it concerns none. */
  readonly conversation: string | null;
  readonly org: string;
  readonly connection: string;
  /** Those of a lane are done one after the other. Null: it waits for no other. */
  readonly lane: string | null;
  readonly kind: Kind;
  readonly slot: string;
  readonly body: ErrandBodies[Kind];
  /** Shortest time between two changes. */
  readonly pauseMs?: number;
}

export interface ErrandRow {
  readonly id: number;
  readonly conversation: string | null;
  readonly org: string;
  readonly connection: string;
  readonly kind: string;
  /** What the channel is given as the key of the message. */
  readonly key: string;
  /** JSON of the body of its kind. */
  readonly body: string;
  readonly revision: number;
  /** The provider's id of the message and the thread it is in, once it was posted. */
  readonly message: string | null;
  readonly thread: string | null;
  readonly state: 'writing' | 'looking';
  readonly attempts: number;
}

const COLUMNS = 'id, conversation, org, connection, kind, key, body, revision, message, thread, state, attempts';

const changes = quoted(errand.sources('change'));

const insertion = (ending: string): Insertion => ({
  table: 'errands',
  columns: {
    ...{ conversation: 'uuid', org: 'text', connection: 'text', lane: 'text', kind: 'text', slot: 'uuid', key: 'uuid', body: 'text' },
    ...{ pause_ms: 'bigint', revision: 'bigint', state: 'text', attempts: 'integer', due_at: 'bigint' },
  },
  stamped: 'created_at',
  ending,
});

const ONCE = insertion('on conflict (slot) do nothing');

/** What changed since is done anew, no sooner than the pause allows. */
const CHANGED = insertion(`on conflict (slot) do update set body = excluded.body, revision = errands.revision + 1,
  state = case when errands.state in (${changes}) then '${errand.target('change')}' else errands.state end,
  attempts = case when errands.state in (${changes}) then 0 else errands.attempts end,
  due_at = case when errands.state not in (${changes}) then errands.due_at
    when errands.ended_at + errands.pause_ms > excluded.due_at then errands.ended_at + errands.pause_ms else excluded.due_at end,
  ended_at = null where errands.body <> excluded.body`);

/** Puts down what is to be done; what stands under its slot already stays. `now`: by the database's clock. */
export function insertErrands(tx: Tx, errands: readonly NewErrand[], now: number): Promise<unknown> {
  return insert(tx, ONCE, errands, now);
}

/** Puts down what is to be done, or makes it another under the same slot. */
export function changeErrands(tx: Tx, errands: readonly NewErrand[], now: number): Promise<unknown> {
  return insert(tx, CHANGED, errands, now);
}

async function insert(tx: Tx, how: Insertion, errands: readonly NewErrand[], now: number): Promise<void> {
  if (errands.length === 0) return;
  const rows = errands.map(({ conversation, org, connection, lane, kind, slot, body, pauseMs = 0 }) => [
    ...[conversation, org, connection, lane ?? slot, kind, slot, slot, JSON.stringify(body)],
    ...[pauseMs, 1, 'waiting', 0, now],
  ]);
  await tx.insert(how, rows);
}

/** Those of the slots that something stands under. */
export async function usedSlots(tx: Tx, slots: readonly string[]): Promise<Set<string>> {
  const rows = await tx.all<{ slot: string }>(`select slot from errands where slot ${tx.dialect.among('uuid')}`, [slots]);
  return new Set(rows.map(({ slot }) => slot));
}

/** Due, first of its lane, and nothing of the lane in hand. */
const CLAIMABLE = (now: string) => `x.due_at <= ${now} and x.state in (${quoted(OPEN)})
  and not exists (select 1 from errands e where e.lane = x.lane and e.id < x.id and e.ended_at is null)
  and not exists (select 1 from errands e where e.lane = x.lane and e.owner is not null)`;

export interface Candidate {
  readonly id: number;
  readonly lane: string;
  readonly conversation: string | null;
}

/** What may be begun, the longest due first; `busy` are channels that are not to be asked now, as `org/connection`. */
export async function claimableErrands(tx: Tx, busy: readonly string[], limit: number): Promise<Candidate[]> {
  return tx.all(
    `select x.id, x.lane, x.conversation from errands x where ${CLAIMABLE(tx.dialect.now)}
       and (x.kind = 'action' or not (x.org || '/' || x.connection ${tx.dialect.among('text')})) order by x.due_at, x.id limit ?`,
    [busy, limit],
  );
}

/** Takes them in hand. Whoever holds the lanes' locks gets them; of one without a lane the row itself is the lock. */
export async function beginErrands(tx: Tx, ids: readonly number[], owner: number): Promise<ErrandRow[]> {
  if (ids.length === 0) return [];
  const next = `case when state in (${quoted(errand.sources('begin'))}) then '${errand.target('begin')}' else '${errand.target('look')}' end`;
  return tx.all(
    `update errands as x set state = ${next}, owner = ?, due_at = null where x.id in (${marks(ids.length)}) and ${CLAIMABLE(tx.dialect.now)}
     returning ${COLUMNS}`,
    [owner, ...ids],
  );
}

/** Which message it is now, and where. */
export interface Posted {
  readonly message: string;
  readonly thread: string;
}

/** What was written is done, or, where it has changed meanwhile, to be done again. False: it is not the owner's any more. */
export async function finishErrand(tx: Tx, { id, revision }: ErrandRow, owner: number, posted: Posted | null): Promise<boolean> {
  const now = tx.dialect.now;
  const isNewest = `revision = ?`;
  return leave(
    tx,
    `state = case when ${isNewest} then '${errand.target('finish')}' else '${errand.target('again')}' end, attempts = 0, failure = null,
     due_at = case when ${isNewest} then null else ${now} + pause_ms end, ended_at = case when ${isNewest} then ${now} end,
     message = coalesce(?, message), thread = coalesce(?, thread)`,
    [revision, revision, revision, posted?.message ?? null, posted?.thread ?? null],
    { id, owner },
  );
}

/** Of kinds that show no message and never change; those that are not the owner's any more stay as they are. */
export async function finishPlainErrands(tx: Tx, ids: readonly number[], owner: number): Promise<void> {
  await tx.run(
    `update errands set owner = null, state = '${errand.target('finish')}', attempts = 0, failure = null, due_at = null, ended_at = ${tx.dialect.now}
     where id ${tx.dialect.among('bigint')} and owner = ? and state in (${quoted(IN_HAND)})`,
    [ids, owner],
  );
}

/** It is tried again after a pause. `key` set: as another message, for the one so far is gone. */
export async function retryErrand(
  tx: Tx,
  { id, attempts }: ErrandRow,
  owner: number,
  { failure, pauseMs, how, key = null }: { failure: string; pauseMs: number; how: 'again' | 'lose'; key?: string | null },
): Promise<boolean> {
  const anew = key === null ? '' : ', message = null, thread = null';
  return leave(
    tx,
    `state = '${errand.target(how)}', due_at = ${tx.dialect.now} + ?, attempts = ?, failure = ?, key = coalesce(?, key)${anew}`,
    [pauseMs, attempts + 1, failure, key],
    { id, owner },
  );
}

export async function endErrand(
  tx: Tx,
  { id }: ErrandRow,
  owner: number,
  how: 'refuse' | 'drop',
  failure: string | null,
): Promise<boolean> {
  return leave(tx, `state = '${errand.target(how)}', due_at = null, failure = ?, ended_at = ${tx.dialect.now}`, [failure], { id, owner });
}

async function leave(tx: Tx, set: string, values: readonly Value[], { id, owner }: { id: number; owner: number }): Promise<boolean> {
  const changed = await tx.run(`update errands set owner = null, ${set} where id = ? and owner = ? and state in (${quoted(IN_HAND)})`, [
    ...values,
    id,
    owner,
  ]);
  return changed === 1;
}

/** These messages are to be posted anew, wherever the thread of their conversation is by then; one that is in hand is posted there anyway. */
export async function repeatPosts(tx: Tx, slots: readonly string[], connection: string): Promise<void> {
  if (slots.length === 0) return;
  await tx.run(
    `update errands set state = '${errand.target('change')}', connection = ?, attempts = 0, due_at = ${tx.dialect.now}, ended_at = null,
       message = null, thread = null where slot ${tx.dialect.among('uuid')} and kind = 'post' and state in (${changes})`,
    [connection, slots],
  );
}

/** Of replicas that are gone: a message that may have been posted is looked for, all else is done again. How many they were. */
export async function releaseErrands(tx: Tx, owners: readonly number[]): Promise<number> {
  if (owners.length === 0) return 0;
  return tx.run(
    `update errands set state = case when kind = 'post' then '${errand.target('lose')}' else '${errand.target('again')}' end, owner = null, due_at = ${tx.dialect.now}
      where owner in (${marks(owners.length)}) and state in (${quoted(IN_HAND)})`,
    owners,
  );
}

/** What of a conversation waits for its next attempt is due now. */
export async function hurryErrands(tx: Tx, conversation: string): Promise<number> {
  return tx.run(`update errands set due_at = ${tx.dialect.now} where conversation = ? and due_at > ${tx.dialect.now}`, [conversation]);
}

/** When the next errand is due; null: none waits. */
export async function nextErrandAt(tx: Tx): Promise<{ now: number; at: number | null }> {
  const row = await first<{ now: number; at: number | null }>(
    tx,
    `select ${tx.dialect.now} as now, (select min(due_at) from errands where due_at is not null) as at`,
  );
  return row ?? { now: Date.now(), at: null };
}

export interface ErrandLoad {
  readonly waiting: number;
  readonly failing: number;
  /** Since when the oldest of them is due, in milliseconds; null: none is. */
  readonly oldest_ms: number | null;
  readonly faults: number;
}

export async function readErrandLoad(tx: Tx): Promise<ErrandLoad> {
  const row = await first<ErrandLoad>(
    tx,
    `select count(*) as waiting, count(case when attempts > 0 then 1 end) as failing, ${tx.dialect.now} - min(created_at) as oldest_ms,
       (select count(*) from control_bindings where fault is not null) as faults from errands where ended_at is null`,
  );
  return row ?? { waiting: 0, failing: 0, oldest_ms: null, faults: 0 };
}

/** What was done so long ago is forgotten, with the words in it. */
export async function pruneErrands(tx: Tx, olderThan: number, limit: number): Promise<{ count: number; isDone: boolean }> {
  const rows = await tx.all<{ id: number }>('select id from errands where ended_at < ? order by ended_at limit ?', [olderThan, limit]);
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await tx.run(`delete from errands where id in (${marks(ids.length)}) and state in (${quoted(ENDED)})`, ids);
  return { count: ids.length, isDone: ids.length < limit };
}
