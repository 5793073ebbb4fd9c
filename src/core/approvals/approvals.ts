import { first, marks, type Tx } from '../../database/tx.js';
import { type EventOf, quoted } from '../machine.js';
import { type ApprovalKind, type ApprovalState, approval, type Sealed } from './approval.js';

export interface NewApproval extends Sealed {
  readonly bodyHash: Buffer;
  readonly seal: Buffer;
  /** How often its conversation had ended, and up to where it was reset, when it was asked for. */
  readonly ending: number;
  readonly clearedTo: number;
  /** Of the claim whose turn asked; null: no turn was running. */
  readonly token: number | null;
  readonly route: string | null;
  /** What tells it apart from other requests of its conversation. */
  readonly request: string;
  readonly created_at: number;
  /** How long a turn waits for it; null: none does. */
  readonly waitMs: number | null;
  /** Where it is asked, as far as that is known yet. */
  readonly asked: AskedIn | null;
}

/** The thread in which people are asked: only there it is decided, beside the API. */
export interface AskedIn {
  readonly connection: string;
  readonly thread: string;
}

export interface ApprovalRow extends Sealed {
  readonly kind: ApprovalKind;
  readonly ending: number;
  readonly cleared_to: number;
  readonly token: number | null;
  readonly route: string | null;
  readonly request: string;
  readonly body_hash: Buffer;
  readonly seal: Buffer;
  readonly state: ApprovalState;
  readonly reason: string | null;
  readonly waits_until: number | null;
  /** Both or none: nobody was asked in a thread yet. */
  readonly asked_connection: string | null;
  readonly asked_thread: string | null;
  readonly created_at: number;
  readonly decided_at: number | null;
  readonly decided_by: string | null;
  readonly decided_why: string | null;
  readonly owner: number | null;
  readonly effect: string | null;
  /** JSON of the evidence that the write left. */
  readonly result: string | null;
  readonly ended_at: number | null;
  readonly told_at: number | null;
}

/** False: its conversation has one of the same request. */
export async function insertApproval(tx: Tx, a: NewApproval): Promise<boolean> {
  const inserted = await tx.run(
    `insert into approvals (id, org, kind, conversation, ending, cleared_to, token, route, source, provider, tool, scope, request,
       title, body, body_hash, seal, created_at, expires_at, asked_connection, asked_thread, waits_until, state)
     values (${marks(22)}, 'pending') on conflict (conversation, request) do nothing`,
    [
      ...[a.id, a.org, a.kind, a.conversation, a.ending, a.clearedTo, a.token, a.route, a.source, a.provider, a.tool, a.scope],
      ...[a.request, a.title, a.body, a.bodyHash, a.seal, a.created_at, a.expires_at],
      ...[a.asked?.connection ?? null, a.asked?.thread ?? null, a.waitMs === null ? null : a.created_at + a.waitMs],
    ],
  );
  return inserted === 1;
}

export async function readApproval(tx: Tx, id: string): Promise<ApprovalRow | null> {
  return first(tx, 'select * from approvals where id = ?', [id]);
}

/** Holds it until the transaction ends; locks of approvals come after those of queues. */
export async function lockApproval(tx: Tx, id: string): Promise<ApprovalRow | null> {
  return first(tx, `select * from approvals where id = ?${tx.dialect.forUpdate}`, [id]);
}

/** By what it was asked for with, whatever became of it. */
export async function findByRequest(tx: Tx, conversation: string, request: string): Promise<ApprovalRow | null> {
  return first(tx, 'select * from approvals where conversation = ? and request = ?', [conversation, request]);
}

/** Not over; or a person has said no, and the turn that asked is gone before it was told: a repeated one is told, and nobody is asked twice. */
const HOLDS = `(ended_at is null or (kind = 'permission' and state = '${approval.target('deny')}' and told_at is null))`;

/** One of the conversation that asks for exactly the same and holds. */
export async function findSame(tx: Tx, { conversation, kind, tool, title, bodyHash }: NewApproval): Promise<ApprovalRow | null> {
  const rows = await tx.all<ApprovalRow>(
    `select * from approvals where conversation = ? and ${HOLDS} and kind = ? and body_hash = ? order by created_at, id${tx.dialect.forUpdate}`,
    [conversation, kind, bodyHash],
  );
  return rows.find((row) => row.tool === tool && row.title === title) ?? null;
}

/** A repeated turn asks again for what it had asked for. */
export async function rebind(tx: Tx, id: string, to: Pick<NewApproval, 'token' | 'request' | 'waitMs'>): Promise<void> {
  await tx.run(`update approvals set token = ?, request = ?, waits_until = ${tx.dialect.now} + ? where id = ? and ${HOLDS}`, [
    to.token,
    to.request,
    to.waitMs,
    id,
  ]);
}

/** It was put before people there; where it was asked before, it is decided. */
export async function noteAsked(tx: Tx, id: string, { connection, thread }: AskedIn): Promise<void> {
  await tx.run('update approvals set asked_connection = ?, asked_thread = ? where id = ? and asked_thread is null', [
    connection,
    thread,
    id,
  ]);
}

/** Those that wait for a person in another thread than the one that their conversation has now are asked nowhere any more. Their ids. */
export async function forgetAsked(tx: Tx, conversation: string, { connection, thread }: AskedIn): Promise<string[]> {
  const rows = await tx.all<{ id: string }>(
    `update approvals set asked_connection = null, asked_thread = null
      where conversation = ? and ended_at is null and state = 'pending' and (asked_thread <> ? or asked_connection <> ?) returning id`,
    [conversation, thread, connection],
  );
  return rows.map(({ id }) => id);
}

/** Whether time is up is for the database to say. Null: it may not be decided (any more). */
export async function decideApproval(
  tx: Tx,
  id: string,
  { event, by, why }: { readonly event: 'approve' | 'deny'; readonly by: string; readonly why: string | null },
): Promise<ApprovalRow | null> {
  const { to, from } = step(event);
  const ended = event === 'deny' ? `, ended_at = ${tx.dialect.now}` : '';
  return first(
    tx,
    `update approvals set state = ${to}, decided_at = ${tx.dialect.now}, decided_by = ?, decided_why = ?${ended}
      where id = ? and state in (${from}) and expires_at > ${tx.dialect.now} returning *`,
    [by, why, id],
  );
}

export async function beginExecution(tx: Tx, id: string, owner: number, effect: string): Promise<void> {
  await tx.run("update approvals set owner = ?, effect = ? where id = ? and state = 'approved'", [owner, effect, id]);
}

/** `told`: whoever asked knows already. */
export async function finishApproval(
  tx: Tx,
  id: string,
  end: { readonly event: 'execute' | 'fail'; readonly reason: string | null; readonly result: string | null; readonly told: boolean },
): Promise<boolean> {
  const { to, from } = step(end.event);
  const changed = await tx.run(
    `update approvals set state = ${to}, reason = ?, result = ?, ended_at = ${tx.dialect.now}, told_at = ${end.told ? tx.dialect.now : 'null'}
      where id = ? and state in (${from})`,
    [end.reason, end.result, id],
  );
  return changed === 1;
}

export async function markTold(tx: Tx, id: string): Promise<void> {
  await tx.run(`update approvals set told_at = ${tx.dialect.now} where id = ? and ended_at is not null and told_at is null`, [id]);
}

/** No turn waits for it any more. */
export async function stopWaiting(tx: Tx, id: string): Promise<void> {
  await tx.run('update approvals set waits_until = null where id = ?', [id]);
}

/** Nobody decided in time about these. */
export async function expireApprovals(tx: Tx, limit: number): Promise<ApprovalRow[]> {
  const { to, from } = step('expire');
  return tx.all(
    `update approvals set state = ${to}, ended_at = ${tx.dialect.now} where state in (${from}) and id in (
       select id from approvals where state = 'pending' and expires_at <= ${tx.dialect.now} order by expires_at limit ?${tx.dialect.forUpdateSkipLocked})
     returning *`,
    [limit],
  );
}

/** What these conversations had asked for is asked for no more; nobody is told. Their queues are locked by the caller. */
export async function voidApprovals(tx: Tx, conversations: readonly string[], reason: 'ended' | 'reset' | 'purged'): Promise<number> {
  if (conversations.length === 0) return 0;
  const { to, from } = step('void');
  return tx.run(
    `update approvals set state = ${to}, reason = ?, ended_at = ${tx.dialect.now}, told_at = ${tx.dialect.now}, waits_until = null
      where conversation ${tx.dialect.among('uuid')} and state in (${from})`,
    [reason, conversations],
  );
}

/** Approved and not done, the longest approved first. */
export async function approvedApprovals(tx: Tx, limit: number): Promise<ApprovalRow[]> {
  return tx.all("select * from approvals where state = 'approved' order by decided_at limit ?", [limit]);
}

/** Over, and whoever asked does not know yet. */
export async function untoldApprovals(tx: Tx, limit: number): Promise<ApprovalRow[]> {
  return tx.all('select * from approvals where ended_at is not null and told_at is null order by ended_at limit ?', [limit]);
}

/** When the next one expires, in milliseconds from now; null: none is pending. */
export async function nextExpiryIn(tx: Tx): Promise<number | null> {
  const row = await first<{ wait: number | null }>(
    tx,
    `select min(expires_at) - ${tx.dialect.now} as wait from approvals where state = 'pending'`,
  );
  return row?.wait ?? null;
}

export interface ApprovalLoad {
  readonly pending: number;
  readonly approved: number;
}

export async function readApprovalLoad(tx: Tx): Promise<ApprovalLoad> {
  const row = await first<ApprovalLoad>(
    tx,
    "select count(case when state = 'pending' then 1 end) as pending, count(case when state = 'approved' then 1 end) as approved from approvals where ended_at is null",
  );
  return row ?? { pending: 0, approved: 0 };
}

/** Whether something of the conversation was approved and is not done yet. */
export async function hasApproved(tx: Tx, conversation: string): Promise<boolean> {
  const rows = await tx.all(
    "select 1 as approved from approvals where conversation = ? and state = 'approved' and ended_at is null limit 1",
    [conversation],
  );
  return rows.length > 0;
}

/** Takes what people read off those of a conversation that are over; ids, hashes and who decided stay. */
export async function clearApprovals(tx: Tx, conversation: string): Promise<void> {
  await tx.run(
    'update approvals set title = ?, body = ?, decided_why = null, result = null where conversation = ? and ended_at is not null',
    ['', Buffer.alloc(0), conversation],
  );
}

export async function pruneApprovals(tx: Tx, olderThan: number, limit: number): Promise<{ count: number; isDone: boolean }> {
  const count = await tx.run(
    'delete from approvals where id in (select id from approvals where ended_at < ? and told_at is not null order by ended_at limit ?)',
    [olderThan, limit],
  );
  return { count, isDone: count < limit };
}

/** Parts of a statement that makes a step: what it writes, and where it is legal. */
function step(event: EventOf<typeof approval.table>): { to: string; from: string } {
  return { to: quoted([approval.target(event)]), from: quoted(approval.sources(event)) };
}
