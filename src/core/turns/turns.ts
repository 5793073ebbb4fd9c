import { type Insertion, marks, type Tx } from '../../database/tx.js';
import type { AuthorKind } from '../deliveries/delivery.js';
import { quoted } from '../machine.js';
import { ENDED_BY, LIVE_TURN, turn } from './turn.js';

export interface NewTurn {
  readonly conversation: string;
  readonly token: number;
  readonly owner: number;
  readonly from: number;
  readonly to: number;
  readonly attempt: number;
  readonly startedAt: number;
  readonly causedBy: AuthorKind | null;
}

/** Makes the turn's row at its first checkpoint: what must outlive the process. */
export async function checkpoint(tx: Tx, t: NewTurn, process: { pid: number; startedAt: string } | null): Promise<void> {
  await tx.run(
    `insert into turns (conversation, token, owner, state, from_sequence, to_sequence, attempt, started_at, caused_by, process_id, process_started)
     values (?, ?, ?, 'active', ?, ?, ?, ?, ?, ?, ?)
     on conflict (conversation, token) do update set process_id = coalesce(excluded.process_id, turns.process_id),
       process_started = coalesce(excluded.process_started, turns.process_started)`,
    [t.conversation, t.token, t.owner, t.from, t.to, t.attempt, t.startedAt, t.causedBy, process?.pid ?? null, process?.startedAt ?? null],
  );
}

export interface TurnEnd {
  readonly state: 'done' | 'failed' | 'interrupted' | 'abandoned';
  readonly session: string | null;
  readonly result: string | null;
  readonly error: string | null;
  readonly detail: string | null;
  readonly costUsd: number;
}

// Each of these ends is legal from any state of a live turn.
const TURNS: Insertion = {
  table: 'turns',
  columns: {
    ...{ conversation: 'uuid', token: 'bigint', owner: 'integer', state: 'text', from_sequence: 'bigint', to_sequence: 'bigint' },
    ...{ attempt: 'integer', session: 'text', result: 'text', error: 'text', detail: 'text', cost_usd: 'double precision' },
    ...{ started_at: 'bigint', caused_by: 'text' },
  },
  stamped: 'ended_at',
  ending: `on conflict (conversation, token) do update set state = excluded.state, session = excluded.session, result = excluded.result,
    error = excluded.error, detail = excluded.detail, cost_usd = excluded.cost_usd, to_sequence = excluded.to_sequence, process_id = null,
    ended_at = excluded.ended_at where turns.state in (${quoted(LIVE_TURN)})`,
};

/** Ends turns, with or without a row so far. */
export async function endTurns(tx: Tx, ends: readonly { readonly turn: NewTurn; readonly end: TurnEnd }[]): Promise<void> {
  await tx.insert(
    TURNS,
    ends.map(({ turn: t, end }) => [
      ...[t.conversation, t.token, t.owner, turn.target(ENDED_BY[end.state]), t.from, t.to, t.attempt],
      ...[end.session, end.result, end.error, end.detail, end.costUsd, t.startedAt, t.causedBy],
    ]),
  );
}

export interface TranscriptEntry {
  readonly number: number;
  readonly at: number;
  readonly kind: string;
  /** JSON. */
  readonly body: string;
}

/** Whether a claim is still its holder's; until the transaction ends nobody takes it away. */
export async function isOurs(tx: Tx, claim: { conversation: string; token: number; owner: number }): Promise<boolean> {
  const { conversation, token, owner } = claim;
  const rows = await tx.all(`select 1 as ours from queues where conversation = ? and token = ? and owner = ?${tx.dialect.forUpdate}`, [
    conversation,
    token,
    owner,
  ]);
  return rows.length === 1;
}

/** Adds to a turn's transcript, as long as the claim is still the writer's. False: it is not, and nothing was written. */
export async function appendTranscript(
  tx: Tx,
  t: { conversation: string; token: number; owner: number },
  entries: readonly TranscriptEntry[],
): Promise<boolean> {
  if (!(await isOurs(tx, t))) return false;
  await insertTranscripts(tx, [{ turn: t, entries }]);
  return true;
}

const TRANSCRIPTS: Insertion = {
  table: 'transcripts',
  columns: { conversation: 'uuid', token: 'bigint', number: 'integer', said_at: 'bigint', kind: 'text', body: 'text' },
  ending: 'on conflict do nothing',
};

/** Adds to the transcripts of turns whose claims are the writer's, and locked. */
export async function insertTranscripts(
  tx: Tx,
  said: readonly {
    readonly turn: { readonly conversation: string; readonly token: number };
    readonly entries: readonly TranscriptEntry[];
  }[],
): Promise<void> {
  await tx.insert(
    TRANSCRIPTS,
    said.flatMap(({ turn: t, entries }) => entries.map(({ number, at, kind, body }) => [t.conversation, t.token, number, at, kind, body])),
  );
}

/** Token of the last turn that was interrupted while it worked on the messages from this one on; null: none was. */
export async function lastInterrupted(tx: Tx, conversation: string, from: number): Promise<number | null> {
  const [row] = await tx.all<{ token: number }>(
    "select token from turns where conversation = ? and from_sequence = ? and state = 'interrupted' order by token desc limit 1",
    [conversation, from],
  );
  return row?.token ?? null;
}

/** A turn whose owner is gone, with the process group that may have survived it. */
export interface OrphanTurn {
  readonly conversation: string;
  readonly token: number;
  readonly process_id: number | null;
  readonly process_started: string | null;
}

/** Those that were ended from outside, too: whoever stops a turn may die before its process has. */
export async function orphansOf(tx: Tx, owners: readonly number[]): Promise<OrphanTurn[]> {
  if (owners.length === 0) return [];
  return tx.all(
    `select conversation, token, process_id, process_started from turns
      where process_id is not null and state not in ('done', 'failed') and owner in (${marks(owners.length)}) order by conversation, token`,
    owners,
  );
}

/** A process group that worked on a conversation until its turn was retired, and whose end nobody has reported. */
export interface Survivor {
  readonly token: number;
  readonly process_id: number;
  readonly process_started: string;
  /** Of the replica that started it; null: that replica is gone. */
  readonly boot_id: string | null;
}

export async function survivorsOf(tx: Tx, conversation: string): Promise<Survivor[]> {
  return tx.all(
    `select t.token, t.process_id, coalesce(t.process_started, '') as process_started, r.boot_id
       from turns t left join replicas r on r.id = t.owner and r.lease_until > ${tx.dialect.now}
      where t.conversation = ? and t.state = '${turn.target('retire')}' and t.process_id is not null order by t.token`,
    [conversation],
  );
}

/** The process of an ended turn is gone. */
export async function forgetProcess(tx: Tx, { conversation, token }: { conversation: string; token: number }): Promise<void> {
  await tx.run(
    `update turns set process_id = null, process_started = null where conversation = ? and token = ? and state not in (${quoted(LIVE_TURN)})`,
    [conversation, token],
  );
}

/** What the turn of a claim is doing. False: it has ended. */
export async function stepTurn(
  tx: Tx,
  { conversation, token }: { conversation: string; token: number },
  event: 'pause' | 'rest' | 'resume',
): Promise<boolean> {
  const from = quoted(turn.sources(event));
  const changed = await tx.run(`update turns set state = ? where conversation = ? and token = ? and state in (${from})`, [
    turn.target(event),
    conversation,
    token,
  ]);
  return changed === 1;
}

/** A live turn works on more messages than it began with. */
export async function extendTurn(
  tx: Tx,
  t: { conversation: string; token: number; to: number; causedBy: AuthorKind | null },
): Promise<void> {
  await tx.run(
    `update turns set to_sequence = ?, caused_by = coalesce(?, caused_by) where conversation = ? and token = ? and state in (${quoted(LIVE_TURN)})`,
    [t.to, t.causedBy, t.conversation, t.token],
  );
}

/** So many turns back is looked for a loop. */
const LOOK_BACK = 500;

/**
 * When the last turns of the conversation that machines alone caused were begun, newest first, back to one that a person caused or to
 * the floor. Tries of one turn are one.
 */
export async function machineTurns(tx: Tx, conversation: string, floor: number): Promise<number[]> {
  const rows = await tx.all<{ caused_by: AuthorKind | null; attempt: number; started_at: number }>(
    'select caused_by, attempt, started_at from turns where conversation = ? and token > ? order by token desc limit ?',
    [conversation, floor, LOOK_BACK],
  );
  const byPerson = rows.findIndex(({ caused_by }) => caused_by === 'person');
  const since = byPerson === -1 ? rows : rows.slice(0, byPerson);
  return since.filter(({ caused_by, attempt }) => caused_by === 'machine' && attempt === 1).map(({ started_at }) => started_at);
}

/** Ends whatever turn of the conversation is live. */
export async function endLiveTurn(
  tx: Tx,
  conversation: string,
  state: 'interrupted' | 'abandoned' | 'retired' | 'reset',
  error: string | null,
): Promise<boolean> {
  const event = ENDED_BY[state];
  const ended = await tx.run(
    `update turns set state = ?, error = ?, ended_at = ${tx.dialect.now} where conversation = ? and state in (${quoted(turn.sources(event))})`,
    [turn.target(event), error, conversation],
  );
  return ended > 0;
}
