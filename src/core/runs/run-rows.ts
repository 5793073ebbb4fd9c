import { first, marks, type Tx } from '../../database/tx.js';
import { type EventOf, quoted } from '../machine.js';
import { type RunCause, type RunState, run } from './run.js';

/** A run as it is stored. */
export interface RunRow {
  readonly id: string;
  readonly org: string;
  readonly automation: string;
  readonly version: number;
  readonly generation: number;
  readonly conversation: string;
  readonly sequence: number | null;
  readonly subject: string | null;
  readonly no_subject: string | null;
  readonly cause: RunCause;
  readonly receipt: number | null;
  readonly slot: number | null;
  readonly state: RunState;
  readonly phase: string | null;
  readonly attempt: number;
  readonly due_at: number;
  readonly owner: number | null;
  /** Raised at every claim and at the end: whoever comes with an older one changes nothing. */
  readonly token: number;
  readonly sandbox: string | null;
  /** How its sandbox knows what was started in it. */
  readonly command: string | null;
  readonly secret_hash: Buffer | null;
  readonly created_at: number;
  readonly started_at: number | null;
  /** Before its entrypoint is started: from then on it is never begun anew. */
  readonly begun_at: number | null;
  /** Up to this delivery its entrypoint was told itself what there is; null: the queue tells all of it. */
  readonly told_to: number | null;
  readonly opened_at: number | null;
  readonly deadline_at: number | null;
  readonly ended_at: number | null;
  readonly released_at: number | null;
  readonly error: string | null;
  readonly detail: string | null;
  readonly timed_out: number;
  readonly cost_usd: number | null;
  readonly metadata: string | null;
  readonly inputs: string | null;
}

export function readRun(tx: Tx, id: string): Promise<RunRow | null> {
  return first(tx, 'select * from runs where id = ?', [id]);
}

/** Nobody steps it until the transaction ends. The queue of its conversation is locked before. */
export function lockRun(tx: Tx, id: string): Promise<RunRow | null> {
  return first(tx, `select * from runs where id = ?${tx.dialect.forUpdate}`, [id]);
}

/** Which attempt at a run this is. */
export interface Attempt {
  readonly id: string;
  readonly token: number;
}

type RunEvent = EventOf<typeof run.table>;

/** Makes a step of runs that the caller has locked; which of them were in a state that allows it. */
export async function stepRuns(tx: Tx, ids: readonly string[], event: RunEvent, set: string, values: readonly (string | number | null)[]) {
  if (ids.length === 0) return [];
  const rows = await tx.all<{ id: string }>(
    `update runs set state = '${run.target(event)}', ${set} where id in (${marks(ids.length)}) and state in (${quoted(run.sources(event))})
      returning id`,
    [...values, ...ids],
  );
  return rows.map(({ id }) => id);
}

/** Its host works on it: something is set, as long as the attempt is the one that is on. False: it is not any more. */
async function setOf(
  tx: Tx,
  { id, token }: Attempt,
  set: string,
  ...values: readonly (string | number | Buffer | null)[]
): Promise<boolean> {
  const count = await tx.run(`update runs set ${set} where id = ? and token = ? and state in (${quoted(WORKED_ON)})`, [
    ...values,
    id,
    token,
  ]);
  return count === 1;
}

/** A replica works on it, or watches it. */
export const WORKED_ON = run.states.filter((state) => run.sources('complete').includes(state));

export interface Beginning {
  readonly toldTo: number | null;
  /** Of the token that its entrypoint may report with. */
  readonly secretHash: Buffer;
  readonly timeoutMs: number;
}

/** What is about to be started in its sandbox. From now on it is never begun anew, and its time runs. */
export function beginRun(tx: Tx, attempt: Attempt, { toldTo, secretHash, timeoutMs }: Beginning): Promise<boolean> {
  const { now } = tx.dialect;
  return setOf(tx, attempt, `begun_at = ${now}, deadline_at = ${now} + ?, told_to = ?, secret_hash = ?`, timeoutMs, toldTo, secretHash);
}

/** How its sandbox knows what was started in it. */
export function saveCommand(tx: Tx, attempt: Attempt, command: string): Promise<boolean> {
  return setOf(tx, attempt, 'command = ?', command);
}

/** The sandbox that is made for it; before it is made. */
export function saveSandbox(tx: Tx, attempt: Attempt, sandbox: string): Promise<boolean> {
  return setOf(tx, attempt, 'sandbox = ?', sandbox);
}

/** Whether the attempt is the one that is on. */
export function isCurrent(tx: Tx, attempt: Attempt): Promise<boolean> {
  return setOf(tx, attempt, 'token = token');
}

/** What people see of how far it is; kept in its log, too. False: it is not worked on any more. */
export async function savePhase(tx: Tx, id: string, phase: string): Promise<boolean> {
  const live = quoted(run.sources('cancel'));
  const count = await tx.run(`update runs set phase = ? where id = ? and state in (${live})`, [phase, id]);
  return count === 1;
}
