import { first, inChunks, marks, type Tx, tuples, type Value } from '../../database/tx.js';
import { type EventOf, quoted } from '../machine.js';
import { CLEANUP, isDueFor, job, UNFINISHED } from './job.js';

export interface Job {
  readonly id: number;
  readonly conversation: string;
  /** Number of the conversation's end that it belongs to. */
  readonly ending: number;
  readonly kind: string;
  readonly attempts: number;
}

/** Puts down what these ends leave to do. */
export async function insertCleanup(tx: Tx, ends: readonly { conversation: string; ending: number }[], now: number): Promise<void> {
  const jobs = ends.flatMap((end) => CLEANUP.map((each) => ({ ...end, ...each })));
  for (const part of inChunks(jobs, 7))
    await tx.run(
      `insert into jobs (conversation, ending, kind, step, state, due_at, created_at) values ${tuples(part.length, 7)} on conflict do nothing`,
      part.flatMap(({ conversation, ending, kind, step }): Value[] => [conversation, ending, kind, step, 'waiting', now, now]),
    );
}

/** Conversations with jobs of these kinds that are due and wait for none of a lower step, the longest due first. */
export async function conversationsWithJobs(tx: Tx, kinds: readonly string[], limit: number): Promise<string[]> {
  const rows = await tx.all<{ conversation: string }>(
    `select j.conversation from jobs j where j.due_at <= ${tx.dialect.now} and j.kind in (${marks(kinds.length)})
       and not exists (${EARLIER}) and ${UNCLAIMED} group by j.conversation order by min(j.due_at) limit ?`,
    [...kinds, limit],
  );
  return rows.map(({ conversation }) => conversation);
}

const EARLIER = `select 1 from jobs e where e.conversation = j.conversation and e.ending = j.ending and e.step < j.step
  and e.state in (${quoted(UNFINISHED)})`;

/** Nobody works in a folder that is being cleared away, not even on what may be answered after the end. */
const UNCLAIMED = 'exists (select 1 from queues q where q.conversation = j.conversation and q.owner is null)';

interface DueJob extends Job {
  readonly state: 'open' | 'terminal';
  readonly current: number;
}

/** The due jobs of conversations whose queues the caller has locked, told apart by whether the end that they belong to still is the end. */
export async function dueJobs(
  tx: Tx,
  conversations: readonly string[],
  kinds: readonly string[],
): Promise<{ standing: Job[]; superseded: Job[] }> {
  if (conversations.length === 0) return { standing: [], superseded: [] };
  const rows = await tx.all<DueJob>(
    `select j.id, j.conversation, j.ending, j.kind, j.attempts, c.state, c.ending as current
       from jobs j join conversations c on c.id = j.conversation
      where j.due_at <= ${tx.dialect.now} and j.conversation in (${marks(conversations.length)}) and j.kind in (${marks(kinds.length)})
        and not exists (${EARLIER}) and ${UNCLAIMED} order by j.id`,
    [...conversations, ...kinds],
  );
  const stands = ({ ending, state, current }: DueJob) => isDueFor({ ending }, { state, ending: current });
  return { standing: rows.filter(stands), superseded: rows.filter((row) => !stands(row)) };
}

export async function beginJobs(tx: Tx, jobs: readonly Job[], owner: number): Promise<void> {
  await step(tx, 'begin', jobs, `due_at = null, owner = ?`, [owner]);
}

export async function supersedeJobs(tx: Tx, jobs: readonly Job[]): Promise<void> {
  await step(tx, 'supersede', jobs, `due_at = null, ended_at = ${tx.dialect.now}`, []);
}

async function step(tx: Tx, event: EventOf<typeof job.table>, jobs: readonly Job[], set: string, values: readonly Value[]): Promise<void> {
  for (const part of inChunks(jobs, 1))
    await tx.run(
      `update jobs set state = '${job.target(event)}', ${set} where state in (${quoted(job.sources(event))}) and id in (${marks(part.length)})`,
      [...values, ...part.map(({ id }) => id)],
    );
}

/** False: it is not the owner's any more, and nothing was changed. */
export async function finishJob(tx: Tx, { id }: Job, owner: number, result: string): Promise<boolean> {
  return leave(tx, 'finish', `owner = null, failure = null, result = ?, ended_at = ${tx.dialect.now}`, [result], { id, owner });
}

export async function failJob(tx: Tx, { id, attempts }: Job, owner: number, failure: string, pauseMs: number): Promise<boolean> {
  const set = `owner = null, attempts = ?, failure = ?, due_at = ${tx.dialect.now} + ?`;
  return leave(tx, 'fail', set, [attempts + 1, failure, pauseMs], { id, owner });
}

async function leave(
  tx: Tx,
  event: 'finish' | 'fail',
  set: string,
  values: readonly Value[],
  { id, owner }: { id: number; owner: number },
): Promise<boolean> {
  const changed = await tx.run(
    `update jobs set state = '${job.target(event)}', ${set} where id = ? and owner = ? and state in (${quoted(job.sources(event))})`,
    [...values, id, owner],
  );
  return changed === 1;
}

/** Jobs of replicas that are gone are due again; how many they were. */
export async function releaseJobs(tx: Tx, owners: readonly number[]): Promise<number> {
  if (owners.length === 0) return 0;
  return tx.run(
    `update jobs set state = '${job.target('release')}', owner = null, due_at = ${tx.dialect.now}
      where owner in (${marks(owners.length)}) and state in (${quoted(job.sources('release'))})`,
    owners,
  );
}

/** Whatever failed and waits for its next attempt is due now; how many there were. */
export async function hurryJobs(tx: Tx): Promise<number> {
  return tx.run(`update jobs set due_at = ${tx.dialect.now} where due_at > ${tx.dialect.now}`);
}

/** When the next job is due; null: none waits. */
export async function nextJobAt(tx: Tx): Promise<{ now: number; at: number | null }> {
  const row = await first<{ now: number; at: number | null }>(
    tx,
    `select ${tx.dialect.now} as now, (select min(due_at) from jobs where due_at is not null) as at`,
  );
  return row ?? { now: Date.now(), at: null };
}

export interface JobLoad {
  readonly waiting: number;
  readonly failing: number;
}

export async function readJobLoad(tx: Tx): Promise<JobLoad> {
  const row = await first<JobLoad>(
    tx,
    `select count(*) as waiting, count(case when attempts > 0 then 1 end) as failing from jobs where due_at is not null`,
  );
  return row ?? { waiting: 0, failing: 0 };
}
