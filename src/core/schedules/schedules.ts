import { clock, first, type Tx } from '../../database/tx.js';
import type { Automation } from '../automations/automations.js';
import { nextSlot, type Timing } from './slots.js';

/** A schedule of an enabled automation; `trigger` is its place among the automation's triggers. */
export interface Schedule extends Timing {
  readonly automation: string;
  readonly trigger: number;
}

/** Its next slot has come. */
export interface DueSchedule extends Schedule {
  readonly nextFireAt: number;
}

interface Row {
  readonly automation: string;
  readonly trigger_number: number;
  readonly schedule: string;
  readonly timezone: string;
  readonly next_fire_at: number;
}

/** The schedules of an automation while it is enabled. */
export function schedulesOf({ id, spec }: Pick<Automation, 'id' | 'spec'>): Schedule[] {
  return spec.triggers.flatMap((trigger, i) =>
    trigger.type === 'cron' ? [{ automation: id, trigger: i, schedule: trigger.schedule, timezone: trigger.timezone }] : [],
  );
}

/**
 * Puts down what is to start when, as it is now: what is new or was changed starts with its first slot after now, what is no more is
 * taken away, and all else stays where it was.
 */
export async function saveSchedules(tx: Tx, stored: readonly Schedule[], wanted: readonly Schedule[]): Promise<void> {
  const known = new Set(stored.map(textOf));
  const kept = new Set(wanted.map(textOf));
  for (const each of stored)
    if (!kept.has(textOf(each)))
      await tx.run('delete from schedules where automation = ? and trigger_number = ?', [each.automation, each.trigger]);
  const fresh = wanted.filter((schedule) => !known.has(textOf(schedule)));
  if (fresh.length === 0) return;
  const now = await clock(tx);
  for (const { automation, trigger, schedule, timezone } of fresh)
    await tx.run(
      'insert into schedules (automation, trigger_number, schedule, timezone, next_fire_at) values (?, ?, ?, ?, ?) on conflict do nothing',
      [automation, trigger, schedule, timezone, nextSlot({ schedule, timezone }, now)],
    );
}

/** All that are kept, in one order. */
export async function storedSchedules(tx: Tx): Promise<Schedule[]> {
  const rows = await tx.all<Row>(
    'select automation, trigger_number, schedule, timezone, next_fire_at from schedules order by automation, trigger_number',
  );
  return rows.map(({ automation, trigger_number: trigger, schedule, timezone }) => ({ automation, trigger, schedule, timezone }));
}

function textOf({ automation, trigger, schedule, timezone }: Schedule): string {
  return JSON.stringify([automation, trigger, schedule, timezone]);
}

/** Those whose slot has come, the longest waiting first, and the database's time. */
export async function dueSchedules(tx: Tx, limit: number): Promise<{ now: number; due: DueSchedule[] }> {
  const now = await clock(tx);
  const rows = await tx.all<Row>(
    `select automation, trigger_number, schedule, timezone, next_fire_at from schedules
     where next_fire_at is not null and next_fire_at <= ? order by next_fire_at, automation, trigger_number limit ?`,
    [now, limit],
  );
  const due = rows.map(({ trigger_number: trigger, next_fire_at: nextFireAt, ...row }) => ({ ...row, trigger, nextFireAt }));
  return { now, due };
}

/** After its slots were started. Whoever comes later finds it done, and changes nothing. */
export async function advanceSchedule(
  tx: Tx,
  { automation, trigger, schedule, timezone, nextFireAt }: DueSchedule,
  now: number,
): Promise<void> {
  await tx.run('update schedules set next_fire_at = ? where automation = ? and trigger_number = ? and next_fire_at = ?', [
    nextSlot({ schedule, timezone }, now),
    automation,
    trigger,
    nextFireAt,
  ]);
}

/** When the next slot comes, by the database's clock. */
export async function nextFireAt(tx: Tx): Promise<{ now: number; at: number | null }> {
  const row = await first<{ at: number | null }>(tx, 'select min(next_fire_at) as at from schedules where next_fire_at is not null');
  return { now: await clock(tx), at: row?.at ?? null };
}
