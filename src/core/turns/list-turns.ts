import type { Tx } from '../../database/tx.js';
import { type Found, findSlice, type Slice, Where } from '../listing.js';

export interface TurnView {
  readonly conversation: string;
  readonly token: number;
  readonly owner: number;
  readonly state: string;
  readonly from_sequence: number;
  readonly to_sequence: number;
  readonly attempt: number;
  readonly session: string | null;
  readonly result: string | null;
  readonly error: string | null;
  readonly detail: string | null;
  readonly cost_usd: number;
  readonly started_at: number;
  readonly ended_at: number | null;
}

export interface TranscriptView {
  readonly token: number;
  readonly number: number;
  readonly said_at: number;
  readonly kind: string;
  /** JSON. */
  readonly body: string;
}

export type TurnPosition = readonly [token: number];
export type TranscriptPosition = readonly [token: number, number: number];

/** Of one conversation, newest first. */
export async function listTurns(tx: Tx, conversation: string, slice: Slice<TurnPosition>): Promise<Found<TurnView, TurnPosition>> {
  const where = new Where().and('conversation = ?', conversation);
  if (slice.after) where.and('token < ?', ...slice.after);
  const select = `select conversation, token, owner, state, from_sequence, to_sequence, attempt, session, result, error, detail, cost_usd,
    started_at, ended_at from turns`;
  return findSlice(tx, { select, where, order: 'token desc' }, slice, (row: TurnView) => [row.token]);
}

/** Of one conversation, in the order in which it was said. */
export async function listTranscript(
  tx: Tx,
  conversation: string,
  slice: Slice<TranscriptPosition>,
): Promise<Found<TranscriptView, TranscriptPosition>> {
  const where = new Where().and('conversation = ?', conversation);
  if (slice.after) where.and('(token, number) > (?, ?)', ...slice.after);
  const select = 'select token, number, said_at, kind, body from transcripts';
  return findSlice(tx, { select, where, order: 'token, number' }, slice, (row: TranscriptView) => [row.token, row.number]);
}
