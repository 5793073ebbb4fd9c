import { type Columns, type Insertion, marks, type Row, type Tx } from '../../database/tx.js';
import type { Trust } from './delivery.js';
import type { Parking, Queue } from './queue.js';

interface QueueRow {
  readonly conversation: string;
  readonly org: string;
  readonly workspace: string;
  readonly next_sequence: number;
  readonly open: number;
  readonly waking: number;
  readonly head: number;
  readonly ready_at: number | null;
  readonly parked: Parking | null;
  readonly owner: number | null;
  readonly token: number;
  readonly claim_from: number | null;
  readonly claim_to: number | null;
  readonly claimed_at: number | null;
  readonly retry_to: number | null;
  readonly paused: number;
  readonly resting: number;
  readonly turn_trust: Trust | null;
  readonly steerable: number;
  readonly quiet_until: number | null;
  readonly quiet_limit: number | null;
}

const TYPES = {
  ...{ conversation: 'uuid', org: 'text', workspace: 'text', next_sequence: 'bigint', open: 'integer', waking: 'integer', head: 'bigint' },
  ...{ ready_at: 'bigint', parked: 'text', owner: 'integer', token: 'bigint', claim_from: 'bigint', claim_to: 'bigint' },
  ...{ claimed_at: 'bigint', retry_to: 'bigint', paused: 'smallint', resting: 'smallint', turn_trust: 'text', steerable: 'smallint' },
  ...{ quiet_until: 'bigint', quiet_limit: 'bigint' },
} as const satisfies Columns;

const COLUMNS = Object.keys(TYPES).join(', ');
const FIXED = new Set(['conversation', 'org', 'workspace']);
const CHANGES = Object.keys(TYPES)
  .filter((column) => !FIXED.has(column))
  .map((column) => `${column} = excluded.${column}`);

const NEW_QUEUES: Insertion = { table: 'queues', columns: TYPES };
const QUEUES: Insertion = { ...NEW_QUEUES, ending: `on conflict (conversation) do update set ${CHANGES.join(', ')}` };

/** Locks the queues that exist, always in the order of their conversations. */
export async function lockQueues(tx: Tx, conversations: readonly string[]): Promise<Map<string, Queue>> {
  if (conversations.length === 0) return new Map();
  const rows = await tx.all<QueueRow>(
    `select ${COLUMNS} from queues where conversation ${tx.dialect.among('uuid')} order by conversation${tx.dialect.forUpdate}`,
    [conversations],
  );
  return new Map(rows.map((row) => [row.conversation, fromRow(row)]));
}

export async function insertQueues(tx: Tx, queues: readonly Queue[]): Promise<void> {
  await tx.insert(NEW_QUEUES, queues.map(toRow));
}

/** Writes queues that this transaction has locked. */
export async function saveQueues(tx: Tx, queues: readonly Queue[]): Promise<void> {
  await tx.insert(QUEUES, queues.map(toRow));
}

export interface ReadyQueue {
  readonly conversation: string;
  readonly workspace: string;
  readonly org: string;
}

/** Organisations, and workspaces of organisations, of which nothing more is to be claimed now. */
export interface Busy {
  readonly workspaces: readonly { readonly org: string; readonly workspace: string }[];
  readonly orgs: readonly string[];
}

/** The conversations that have waited longest, less those of workspaces and organisations that are busy enough. */
export async function readyConversations(tx: Tx, limit: number, full: Busy): Promise<ReadyQueue[]> {
  const notOfOrgs = full.orgs.length === 0 ? '' : ` and org not in (${marks(full.orgs.length)})`;
  const notOfWorkspaces = ' and not (org = ? and workspace = ?)'.repeat(full.workspaces.length);
  return tx.all(
    `select conversation, workspace, org from queues where ready_at <= ${tx.dialect.now}${notOfOrgs}${notOfWorkspaces}
      order by ready_at limit ?`,
    [...full.orgs, ...full.workspaces.flatMap(({ org, workspace }) => [org, workspace]), limit],
  );
}

/**
 * Locks those of the conversations that are still ready and that nobody else is looking at. The case keeps it from reading all that is
 * ready instead of these.
 */
export async function lockReady(tx: Tx, conversations: readonly string[]): Promise<Queue[]> {
  if (conversations.length === 0) return [];
  const rows = await tx.all<QueueRow>(
    `select ${COLUMNS} from queues where conversation ${tx.dialect.among('uuid')} and case when ready_at <= ${tx.dialect.now} then 1 else 0 end = 1
      order by conversation${tx.dialect.forUpdateSkipLocked}`,
    [conversations],
  );
  return rows.map(fromRow);
}

/** Locks those of the queues that nobody else has locked; which they are. */
export async function lockFreeQueues(tx: Tx, conversations: readonly string[]): Promise<string[]> {
  const rows = await tx.all<{ conversation: string }>(
    `select conversation from queues where conversation in (${marks(conversations.length)}) order by conversation${tx.dialect.forUpdateSkipLocked}`,
    conversations,
  );
  return rows.map(({ conversation }) => conversation);
}

export interface NextReady {
  readonly now: number;
  readonly at: number | null;
}

/** When the next queue becomes ready that is not ready yet; null: none will by itself. */
export async function nextReadyAt(tx: Tx): Promise<NextReady> {
  const [row] = await tx.all<NextReady>(
    `select ${tx.dialect.now} as now, (select min(ready_at) from queues where ready_at is not null) as at`,
  );
  return row ?? { now: Date.now(), at: null };
}

/** A claim as others have made it meanwhile. */
export interface ClaimState {
  readonly conversation: string;
  readonly token: number;
  readonly claim_to: number;
  readonly paused: number;
}

/** Those of an owner's claims that are still its own, among the conversations asked for. */
export async function claimsAmong(tx: Tx, owner: number, conversations: readonly string[]): Promise<ClaimState[]> {
  if (conversations.length === 0) return [];
  return tx.all(`select conversation, token, claim_to, paused from queues where owner = ? and conversation ${tx.dialect.among('uuid')}`, [
    owner,
    conversations,
  ]);
}

/** Up to where a claim goes now; null: it is no longer its holder's. Until the transaction ends it stays as it is. */
export async function claimEnd(
  tx: Tx,
  { conversation, token, owner }: { conversation: string; token: number; owner: number },
): Promise<number | null> {
  const [row] = await tx.all<{ claim_to: number }>(
    `select claim_to from queues where conversation = ? and token = ? and owner = ?${tx.dialect.forUpdate}`,
    [conversation, token, owner],
  );
  return row?.claim_to ?? null;
}

/** Whether the turn of a claim is at rest. */
export async function setResting(tx: Tx, conversation: string, isResting: boolean): Promise<void> {
  await tx.run('update queues set resting = ? where conversation = ?', [Number(isResting), conversation]);
}

function fromRow(row: QueueRow): Queue {
  const { conversation, org, workspace, open, waking, head, parked, owner, token } = row;
  return {
    ...{ conversation, org, workspace, open, waking, head, parked, owner, token },
    ...{ nextSequence: row.next_sequence, readyAt: row.ready_at },
    ...{ claimFrom: row.claim_from, claimTo: row.claim_to, claimedAt: row.claimed_at, retryTo: row.retry_to },
    ...{ isPaused: row.paused === 1, isResting: row.resting === 1, turnTrust: row.turn_trust, isSteerable: row.steerable === 1 },
    ...{ quietUntil: row.quiet_until, quietLimit: row.quiet_limit },
  };
}

function toRow(q: Queue): Row {
  return [
    ...[q.conversation, q.org, q.workspace, q.nextSequence, q.open, q.waking, q.head, q.readyAt, q.parked],
    ...[q.owner, q.token, q.claimFrom, q.claimTo, q.claimedAt, q.retryTo],
    ...[Number(q.isPaused), Number(q.isResting), q.turnTrust, Number(q.isSteerable), q.quietUntil, q.quietLimit],
  ];
}
