import { first, type Tx } from '../../database/tx.js';
import { type Found, findSlice, type Slice, Where } from '../listing.js';
import type { EffectState } from './effect.js';
import type { EffectRow } from './effects.js';

export interface EffectView extends EffectRow {
  /** How many deliveries it holds, alone or with others. */
  readonly held: number;
}

export type EffectPosition = readonly [createdAt: number, id: string];

const SELECT = `
  select e.*, (select count(*) from effect_candidates c join deliveries d on d.receipt = c.receipt and d.state = 'held'
    where c.effect = e.id) as held
  from effects e`;

/** Newest first. */
export async function listEffects(
  tx: Tx,
  org: string,
  state: EffectState | undefined,
  slice: Slice<EffectPosition>,
): Promise<Found<EffectView, EffectPosition>> {
  const where = new Where().and('e.org = ?', org).filter('e.state = ?', state);
  if (slice.after) where.and('(e.created_at, e.id) < (?, ?)', ...slice.after);
  const order = 'e.created_at desc, e.id desc';
  return findSlice(tx, { select: SELECT, where, order }, slice, (row: EffectView): EffectPosition => [row.created_at, row.id]);
}

export async function readEffect(tx: Tx, org: string, id: string): Promise<EffectView | null> {
  return first(tx, `${SELECT} where e.org = ? and e.id = ?`, [org, id]);
}

/** A delivery of an event that waits for an effect. */
export interface WaitingDelivery {
  readonly receipt: number;
  readonly source: string;
  readonly delivery_id: string;
  readonly event_key: string;
  /** JSON of what the parser made of it. */
  readonly parsed: string;
  readonly held_at: number;
  readonly conversation: string;
  readonly sequence: number;
  readonly state: string;
  /** Deliveries of its conversation that wait behind it. */
  readonly behind: number;
}

const MOST_SHOWN = 200;

/** What waits for an effect, the first that came first. */
export async function waitingFor(tx: Tx, effect: string): Promise<WaitingDelivery[]> {
  return tx.all(
    `select c.receipt, c.held_at, r.source, r.delivery_id, r.event_key, r.parsed, d.conversation, d.sequence, d.state,
       (select count(*) from deliveries b where b.conversation = d.conversation and b.sequence > d.sequence and b.state <> 'completed') as behind
     from effect_candidates c join receipts r on r.id = c.receipt join deliveries d on d.receipt = c.receipt
      where c.effect = ? order by c.receipt, d.conversation limit ?`,
    [effect, MOST_SHOWN],
  );
}
