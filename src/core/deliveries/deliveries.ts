import type { Insertion, Tx } from '../../database/tx.js';
import { quoted } from '../machine.js';
import {
  type AuthorKind,
  completion,
  type DeliveryKind,
  delivery,
  OPEN_DELIVERY,
  type Outcome,
  storedStep,
  type Trust,
} from './delivery.js';

export interface NewDelivery {
  readonly conversation: string;
  readonly sequence: number;
  readonly receipt: number;
  readonly route: string | null;
  readonly kind: DeliveryKind;
  /** True: an effect of ours may have caused it. */
  readonly held?: boolean;
  /** Completed at once when a later event of the same transaction ended the conversation, or the turn that it had joined. */
  readonly outcome: Outcome | null;
  readonly trust: Trust;
  readonly waking: boolean;
  readonly wakeAt: number | null;
  readonly messageKey: string | null;
  readonly text: string | null;
  /** Of the edit that made it; null: none did. */
  readonly textRevision: string | null;
  readonly authorKind: AuthorKind | null;
  /** Its turn waits until nothing has arrived for a while. */
  readonly collects: boolean;
}

const DELIVERIES: Insertion = {
  table: 'deliveries',
  columns: {
    ...{ conversation: 'uuid', sequence: 'bigint', receipt: 'bigint', route: 'text', kind: 'text', state: 'text', outcome: 'text' },
    ...{ completed_at: 'bigint', trust: 'text', waking: 'smallint', wake_at: 'bigint', message_key: 'text', text: 'text' },
    ...{ text_revision: 'text', author_kind: 'text', collects: 'smallint' },
  },
};

export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[], now: number): Promise<void> {
  const rows = deliveries.map((d) => [
    ...[d.conversation, d.sequence, d.receipt, d.route, d.kind],
    ...[d.outcome !== null ? delivery.target('retire') : d.held ? 'held' : 'pending', d.outcome, d.outcome === null ? null : now],
    ...[d.trust, Number(d.waking), d.wakeAt, d.messageKey, d.text, d.textRevision],
    ...[d.authorKind, Number(d.collects)],
  ]);
  await tx.insert(DELIVERIES, rows);
}

/** A delivery as the next event about its message finds it. */
export interface KnownMessage {
  readonly conversation: string;
  readonly message_key: string;
  readonly sequence: number;
  readonly state: 'held' | 'pending' | 'completed';
  readonly outcome: Outcome | null;
  readonly waking: number;
  readonly route: string | null;
  readonly trust: Trust;
  readonly text: string | null;
  readonly text_revision: string | null;
  /** What its receipt says, where the delivery has no text of its own. */
  readonly parsed: string | null;
}

/** The deliveries that messages already have in conversations. */
export async function findMessages(
  tx: Tx,
  places: readonly { readonly conversation: string; readonly messageKey: string }[],
): Promise<KnownMessage[]> {
  if (places.length === 0) return [];
  const pairs = new Map(places.map(({ conversation, messageKey }) => [`${conversation} ${messageKey}`, [conversation, messageKey]]));
  const { sql, values } = tx.dialect.given('c', { whose: 'uuid', said: 'text' }, [...pairs.values()]);
  return tx.all(
    `select d.conversation, d.message_key, d.sequence, d.state, d.outcome, d.waking, d.route, d.trust, d.text, d.text_revision,
       case when d.text is null then r.parsed end as parsed
       from ${sql} join deliveries d on d.conversation = c.whose and d.message_key = c.said join receipts r on r.id = d.receipt
      where d.message_key is not null`,
    values,
  );
}

/** The conversations in which these receipts already have a delivery. */
export async function deliveredTo(tx: Tx, receipts: readonly number[]): Promise<{ receipt: number; conversation: string }[]> {
  if (receipts.length === 0) return [];
  return tx.all(`select receipt, conversation from deliveries where receipt ${tx.dialect.among('bigint')}`, [receipts]);
}

/** What a later event about its message makes of a delivery that is not completed. */
export interface Amendment {
  readonly waking: boolean;
  readonly route: string | null;
  readonly trust: Trust;
  readonly text: string;
  readonly textRevision: string | null;
}

export async function amendDelivery(tx: Tx, conversation: string, sequence: number, to: Amendment): Promise<void> {
  await tx.run(
    `update deliveries set waking = ?, route = ?, trust = ?, text = ?, text_revision = ?
      where conversation = ? and sequence = ? and state in (${quoted(OPEN_DELIVERY)})`,
    [Number(to.waking), to.route, to.trust, to.text, to.textRevision, conversation, sequence],
  );
}

/** The message goes on under another delivery. */
export async function forgetMessage(tx: Tx, conversation: string, sequence: number): Promise<void> {
  await tx.run('update deliveries set message_key = null where conversation = ? and sequence = ?', [conversation, sequence]);
}

export async function withdrawDelivery(tx: Tx, conversation: string, sequence: number, now: number): Promise<void> {
  const { to, from } = completion('withdrawn');
  await tx.run(
    `update deliveries set state = ${to}, outcome = 'withdrawn', due_at = null, completed_at = ?
      where conversation = ? and sequence = ? and state in (${from})`,
    [now, conversation, sequence],
  );
}

/** Retires all up to a sequence, but the one that is spared; what was to be told of an earlier end is superseded by this one. */
export async function retireUpTo(tx: Tx, conversation: string, sequence: number, spared: number | null, now: number): Promise<number> {
  const { to, from } = completion('retired');
  return tx.run(
    `update deliveries set state = ${to}, outcome = case when kind = 'lifecycle' then 'superseded' else 'retired' end, completed_at = ?
      where conversation = ? and sequence <= ? and sequence <> ? and state in (${from})`,
    [now, conversation, sequence, spared ?? 0],
  );
}

/** A message under whose claim its provider said that all has ended stands for that end. */
export async function becomeLifecycle(tx: Tx, conversation: string, sequence: number): Promise<void> {
  await tx.run(
    `update deliveries set kind = 'lifecycle', waking = 1, wake_at = null, attempts = 0, interruptions = 0, deferrals = 0, due_at = null,
       failure = null where conversation = ? and sequence = ? and state = 'pending'`,
    [conversation, sequence],
  );
}

/** An open delivery as deciding about a claim needs it. */
export interface OpenDelivery {
  readonly conversation: string;
  readonly sequence: number;
  readonly receipt: number;
  readonly route: string | null;
  readonly kind: DeliveryKind;
  readonly state: 'held' | 'pending';
  readonly trust: Trust;
  readonly waking: number;
  readonly wake_at: number | null;
  readonly due_at: number | null;
  readonly attempts: number;
  readonly interruptions: number;
  /** How often its provider could not be asked what must be known before its turn. */
  readonly deferrals: number;
  readonly author_kind: AuthorKind | null;
  readonly collects: number;
}

/** The first open deliveries of each of these conversations, in order. Their queues are locked by the caller, in an earlier statement. */
export async function openPrefixes(tx: Tx, conversations: readonly string[], limit: number): Promise<OpenDelivery[]> {
  if (conversations.length === 0) return [];
  return tx.all(
    `select d.conversation, d.sequence, d.receipt, d.route, d.kind, d.state, d.trust, d.waking, d.wake_at, d.due_at, d.attempts, d.interruptions,
       d.deferrals, d.author_kind, d.collects
       from queues q ${tx.dialect.prefixOfQueue} where q.conversation ${tx.dialect.among('uuid')} order by d.conversation, d.sequence`,
    [limit, conversations],
  );
}

/** What a claimed delivery has to say, out of its receipt. */
export interface DeliveryContent {
  readonly conversation: string;
  readonly sequence: number;
  readonly text: string | null;
  readonly route: string | null;
  readonly author_kind: AuthorKind | null;
  readonly org: string;
  readonly provider: string;
  readonly source: string;
  readonly delivery_id: string;
  readonly event_key: string;
  readonly parsed: string;
  readonly received_at: number;
}

export async function readContents(
  tx: Tx,
  claims: readonly { conversation: string; from: number; to: number }[],
): Promise<DeliveryContent[]> {
  if (claims.length === 0) return [];
  const { sql, values } = boundsOf(tx, claims);
  return tx.all(
    `select d.conversation, d.sequence, d.text, d.route, d.author_kind, r.org, r.provider, r.source, r.delivery_id, r.event_key, r.parsed, r.received_at
       from ${sql} join deliveries d on d.conversation = c.whose and d.sequence between c.first and c.last join receipts r on r.id = d.receipt
      where d.state = 'pending' order by d.conversation, d.sequence`,
    values,
  );
}

export interface Bounds {
  readonly conversation: string;
  readonly from: number;
  readonly to: number;
}

function boundsOf(tx: Tx, bounds: readonly Bounds[]) {
  return tx.dialect.given(
    'c',
    { whose: 'uuid', first: 'bigint', last: 'bigint' },
    bounds.map(({ conversation, from, to }) => [conversation, from, to]),
  );
}

export interface Completion extends Bounds {
  readonly outcome: Outcome;
  readonly reason: string | null;
}

/** Deliveries, and how many of them wake. */
export interface Count {
  readonly count: number;
  readonly waking: number;
}

const NONE: Count = { count: 0, waking: 0 };
const COMPLETION = { whose: 'uuid', first: 'bigint', last: 'bigint', made: 'text', why: 'text' } as const;

/** Completes the pending deliveries within the bounds of claims, one of each conversation; what they were, by conversation. */
export async function completeAll(tx: Tx, completions: readonly Completion[]): Promise<(conversation: string) => Count> {
  const counts = new Map<string, Count>();
  for (const [from, alike] of Map.groupBy(completions, ({ outcome }) => completion(outcome).from)) {
    const rows = alike.map((each) => [each.conversation, each.from, each.to, each.outcome, each.reason]);
    const { sql, values } = tx.dialect.given('c', COMPLETION, rows);
    const completed = await tx.all<{ conversation: string; waking: number }>(
      `update deliveries set state = ${completion(alike[0]?.outcome ?? 'done').to}, outcome = c.made, reason = c.why, due_at = null,
         completed_at = ${tx.dialect.now} from ${sql}
        where conversation = c.whose and sequence between c.first and c.last and state in (${from}) returning conversation, waking`,
      values,
    );
    for (const { conversation, waking } of completed) {
      const { count, waking: before } = counts.get(conversation) ?? NONE;
      counts.set(conversation, { count: count + 1, waking: before + waking });
    }
  }
  return (conversation) => counts.get(conversation) ?? NONE;
}

/** Completes the pending deliveries within the bounds of one claim. */
export async function completeClaimed(tx: Tx, bounds: Bounds, outcome: Outcome, reason: string | null): Promise<Count> {
  const { conversation, from, to } = bounds;
  return (await completeAll(tx, [{ conversation, from, to, outcome, reason }]))(conversation);
}

/** How many deliveries lie within the bounds of these claims, and how many of them wake. */
export async function countClaimed(tx: Tx, claims: readonly Bounds[]): Promise<{ conversation: string; count: number; waking: number }[]> {
  if (claims.length === 0) return [];
  const { sql, values } = boundsOf(tx, claims);
  const rows = await tx.all<{ conversation: string; count: number; waking: number | string }>(
    `select conversation, count(*) as count, sum(waking) as waking from ${sql} join deliveries d
        on d.conversation = c.whose and d.sequence between c.first and c.last where state = 'pending' group by conversation`,
    values,
  );
  return rows.map((row) => ({ ...row, waking: Number(row.waking) }));
}

const AGAIN = storedStep('fail', 'interrupt', 'park', 'retry');

/** The head's count of failures, and when it may be tried again; `dueAt` null: not by itself. */
export async function recordFailure(
  tx: Tx,
  head: { conversation: string; sequence: number },
  f: { attempts: number; interruptions: number; deferrals?: number; dueAt: number | null; failure: string },
): Promise<void> {
  const { to, from } = AGAIN;
  await tx.run(
    `update deliveries set state = ${to}, attempts = ?, interruptions = ?, deferrals = ?, due_at = ?, failure = ?
      where conversation = ? and sequence = ? and state in (${from})`,
    [f.attempts, f.interruptions, f.deferrals ?? 0, f.dueAt, f.failure, head.conversation, head.sequence],
  );
}

export async function readDelivery(
  tx: Tx,
  conversation: string,
  sequence: number,
): Promise<(OpenDelivery & { readonly outcome: Outcome | null }) | null> {
  const [row] = await tx.all<OpenDelivery & { readonly outcome: Outcome | null }>(
    'select * from deliveries where conversation = ? and sequence = ?',
    [conversation, sequence],
  );
  return row ?? null;
}
