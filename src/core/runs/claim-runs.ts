import { first, marks, type Tx } from '../../database/tx.js';
import type { AutomationSpec } from '../automations/automation.js';
import { lockAutomation } from '../automations/automations.js';
import { quoted } from '../machine.js';
import { isAlive } from '../replicas/replicas.js';
import { LIVE, run } from './run.js';
import { insertLogs } from './run-logs.js';
import { type RunRow, stepRuns, WORKED_ON } from './run-rows.js';

export interface RunRequest {
  readonly owner: number;
  /** So many runs of this replica may live at one time. */
  readonly cap: number;
  /** How long a start may take before the run's own time is counted. */
  readonly readyMs: number;
}

export interface ClaimedRun extends RunRow {
  readonly spec: AutomationSpec;
}

interface Candidate {
  readonly id: string;
  readonly automation: string;
  readonly spec: string;
}

/** A spec is JSON that we wrote: in no text of it can quotes stand like that. */
const IN_TURN = `v.spec like '%"concurrency":"queue"%'`;
const WAITS = run.sources('claim');

/** Another run of the automation is at work, or stood here before. */
const BLOCKED = `exists (select 1 from runs o where o.automation = r.automation and o.id <> r.id and o.state in (${quoted(LIVE)})
  and (o.state in (${quoted(WORKED_ON)}) or (o.created_at, coalesce(o.receipt, 0), o.id) < (r.created_at, coalesce(r.receipt, 0), r.id)))`;

/** Takes runs that wait, the longest due first, as many as there is room for. Null: this replica's lease has run out. */
export async function claimRuns(tx: Tx, { owner, cap, readyMs }: RunRequest): Promise<ClaimedRun[] | null> {
  if (!(await isAlive(tx, owner))) return null;
  const limit = cap - (await liveOf(tx, owner));
  const candidates = limit <= 0 ? [] : await waiting(tx, limit);
  if (candidates.length === 0) return [];
  const free = await lockWaiting(tx, candidates);
  const taken = await inTurn(tx, free);
  const claimed: ClaimedRun[] = [];
  for (const { id, spec } of taken) {
    const parsed = JSON.parse(spec) as AutomationSpec;
    const set = `owner = ?, token = token + 1, started_at = coalesce(started_at, ${tx.dialect.now}), deadline_at = ${tx.dialect.now} + ?`;
    await stepRuns(tx, [id], 'claim', set, [owner, readyMs + parsed.timeout_ms]);
    await insertLogs(tx, id, [{ kind: 'phase', body: PREPARING }]);
    await tx.run('update runs set phase = ? where id = ?', [PREPARING, id]);
    const row = await first<RunRow>(tx, 'select * from runs where id = ?', [id]);
    if (row !== null) claimed.push({ ...row, spec: parsed });
  }
  return claimed;
}

const PREPARING = 'preparing environment';

async function liveOf(tx: Tx, owner: number): Promise<number> {
  const row = await first<{ count: number }>(tx, `select count(*) as count from runs where owner = ? and state in (${quoted(WORKED_ON)})`, [
    owner,
  ]);
  return row?.count ?? 0;
}

async function waiting(tx: Tx, limit: number): Promise<Candidate[]> {
  return tx.all(
    `select r.id, r.automation, v.spec from runs r join automation_versions v on v.automation = r.automation and v.version = r.version
      where r.state = '${WAITS[0]}' and r.due_at <= ${tx.dialect.now} and not (${IN_TURN} and ${BLOCKED})
      order by r.due_at, r.receipt, r.id limit ?`,
    [limit],
  );
}

/** Those that nobody else is looking at. */
async function lockWaiting(tx: Tx, candidates: readonly Candidate[]): Promise<Candidate[]> {
  const rows = await tx.all<{ id: string }>(
    `select id from runs where id in (${marks(candidates.length)}) and state in (${quoted(WAITS)}) order by id${tx.dialect.forUpdateSkipLocked}`,
    candidates.map(({ id }) => id),
  );
  const free = new Set(rows.map(({ id }) => id));
  return candidates.filter(({ id }) => free.has(id));
}

/** One after the other is looked at again under the automation's own lock: two replicas may have chosen two of its runs. */
async function inTurn(tx: Tx, candidates: readonly Candidate[]): Promise<Candidate[]> {
  const strict = candidates.filter(({ spec }) => (JSON.parse(spec) as AutomationSpec).concurrency === 'queue');
  if (strict.length === 0) return [...candidates];
  for (const automation of [...new Set(strict.map(({ automation: id }) => id))].sort()) await lockAutomation(tx, automation);
  const rows = await tx.all<{ id: string }>(
    `select r.id from runs r where r.id in (${marks(strict.length)}) and ${BLOCKED}`,
    strict.map(({ id }) => id),
  );
  const blocked = new Set(rows.map(({ id }) => id));
  return candidates.filter(({ id }) => !blocked.has(id));
}

/** When the next run may be claimed that is not due yet; null: none will by itself. */
export async function nextRunAt(tx: Tx): Promise<{ now: number; at: number | null }> {
  const row = await first<{ now: number; at: number | null }>(
    tx,
    `select ${tx.dialect.now} as now, (select min(due_at) from runs where state = '${WAITS[0]}' and due_at > ${tx.dialect.now}) as at`,
  );
  return row ?? { now: 0, at: null };
}

export async function anyLive(tx: Tx): Promise<boolean> {
  return (await first(tx, `select 1 as live from runs where state in (${quoted(LIVE)}) limit 1`)) !== null;
}
