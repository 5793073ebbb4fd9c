import { first, type Tx } from '../../database/tx.js';
import type { Outcome } from '../deliveries/delivery.js';
import { quoted } from '../machine.js';
import { run } from './run.js';
import type { RunEnd } from './run-end.js';
import { WORKED_ON } from './run-rows.js';
import { type Held, holdRun } from './start-run.js';

/** Runs looked at in one go. */
const BATCH = 50;
const OPEN = run.target('open');
const RUNNING = `r.state in (${quoted(WORKED_ON)}) and r.state = '${OPEN}'`;

/** Runs whose agent has come to rest, or cannot go on; those of an entrypoint end with it. */
export async function restingRuns(tx: Tx): Promise<string[]> {
  const rows = await tx.all<{ id: string }>(
    `select r.id from runs r join queues q on q.conversation = r.conversation
      where ${RUNNING} and r.begun_at is null and ((q.open = 0 and q.owner is null) or q.parked in (${quoted(STUCK)})) order by r.id limit ?`,
    [BATCH],
  );
  return rows.map(({ id }) => id);
}

const STUCK = ['stalled', 'unconfigured'] as const;

/** Runs whose time is up. */
export async function overdueRuns(tx: Tx): Promise<string[]> {
  const rows = await tx.all<{ id: string }>(
    `select r.id from runs r where r.state in (${quoted(WORKED_ON)}) and r.deadline_at <= ${tx.dialect.now} order by r.id limit ?`,
    [BATCH],
  );
  return rows.map(({ id }) => id);
}

interface FirstDelivery {
  readonly outcome: Outcome | null;
  readonly reason: string | null;
  readonly failure: string | null;
}

const STOPPED: readonly (Outcome | null)[] = ['interrupted', 'skipped', 'reset', 'retired'];

/** How a run whose agent is at rest has ended, looked at under its locks; null: it goes on. */
export async function endOfRest(tx: Tx, id: string): Promise<RunEnd | null> {
  const held = await holdRun(tx, id);
  if (held === null || held.row.state !== OPEN || held.row.begun_at !== null) return null;
  const { row, queue } = held;
  const delivery = await firstOf(tx, held);
  const about = { run: id, token: row.token, error: null, detail: null } as const;
  const isStuck = queue.parked === 'stalled' || queue.parked === 'unconfigured';
  if (isStuck && delivery !== null && delivery.outcome === null) {
    const isPermanent = queue.parked === 'unconfigured';
    return { ...about, how: 'fail', error: isPermanent ? 'unconfigured' : 'turn_failed', detail: delivery.failure, isPermanent };
  }
  if (!isStuck && (queue.open > 0 || queue.owner !== null)) return null;
  if (delivery?.outcome === 'dead') return { ...about, how: 'fail', error: 'turn_failed', detail: delivery.reason ?? delivery.failure };
  if (delivery !== null && STOPPED.includes(delivery.outcome))
    return { ...about, how: 'cancel', error: 'stopped', detail: delivery.reason ?? `its first message was ${delivery.outcome}` };
  return { ...about, how: 'complete' };
}

async function firstOf(tx: Tx, { row: { conversation, sequence } }: Held): Promise<FirstDelivery | null> {
  if (sequence === null) return null;
  return first(tx, 'select outcome, reason, failure from deliveries where conversation = ? and sequence = ?', [conversation, sequence]);
}

/** Runs that wait to be begun although their automation is off, or gone; what a person asked for waits on where it is only off. */
export async function unwantedRuns(tx: Tx): Promise<string[]> {
  const rows = await tx.all<{ id: string }>(
    `select r.id from runs r join automations a on a.id = r.automation
      where r.state = '${WAITING}' and a.state <> 'enabled' and (a.deleted_at is not null or r.cause <> 'api') order by r.id limit ?`,
    [BATCH],
  );
  return rows.map(({ id }) => id);
}

const WAITING = run.target('requeue');

/** What these replicas are at. */
export async function runsOwnedBy(tx: Tx, owners: readonly number[]): Promise<string[]> {
  if (owners.length === 0) return [];
  const rows = await tx.all<{ id: string }>(
    `select id from runs where owner ${tx.dialect.among('bigint')} and state in (${quoted(WORKED_ON)}) order by id`,
    [owners],
  );
  return rows.map(({ id }) => id);
}
