import { type Columns, first, type Insertion, type Tx } from '../../database/tx.js';
import { quoted } from '../machine.js';
import { LIVE, type RunCause, type RunState } from './run.js';

/** A run as accept and the dispatch make it. */
export interface NewRun {
  readonly id: string;
  readonly org: string;
  readonly automation: string;
  readonly version: number;
  readonly generation: number;
  readonly conversation: string;
  /** The delivery that it begins with; null: there is none. */
  readonly sequence: number | null;
  /** What it holds while it lives, by `runSubject`; null: the event is about nothing that another one could be about. */
  readonly subject: string | null;
  readonly noSubject: string | null;
  readonly cause: RunCause;
  readonly receipt: number | null;
  /** The instant of the schedule that it stands for. */
  readonly slot: number | null;
  readonly state: Extract<RunState, 'queued' | 'skipped'>;
  /** Why it was not to begin. */
  readonly error: string | null;
  readonly detail: string | null;
  /** JSON of what a person or a program gave it. */
  readonly inputs: string | null;
}

/** A run that holds a conversation and a subject. */
export interface LiveRun {
  readonly id: string;
  readonly automation: string;
  readonly conversation: string;
  readonly subject: string | null;
}

/** What a run of an automation is about, across the generations of it: an event's source and its subject's key. */
export function runSubject(source: string, key: string): string {
  return `${source}/${key}`;
}

const COLUMNS: Columns = {
  id: 'text',
  org: 'text',
  automation: 'text',
  version: 'integer',
  generation: 'integer',
  conversation: 'uuid',
  sequence: 'bigint',
  subject: 'text',
  no_subject: 'text',
  cause: 'text',
  receipt: 'bigint',
  slot: 'bigint',
  state: 'text',
  due_at: 'bigint',
  created_at: 'bigint',
  ended_at: 'bigint',
  released_at: 'bigint',
  error: 'text',
  detail: 'text',
  inputs: 'text',
};

const INSERTION: Insertion = { table: 'runs', columns: COLUMNS };

/** The queues of their conversations are locked, and of no conversation and no subject there is another live run. */
export async function insertRuns(tx: Tx, runs: readonly NewRun[], now: number): Promise<void> {
  if (runs.length === 0) return;
  const rows = runs.map((run) => {
    const endedAt = run.state === 'skipped' ? now : null;
    const { id, org, automation, version, generation, conversation, sequence, subject, noSubject, cause, receipt, slot, state } = run;
    return [
      ...[id, org, automation, version, generation, conversation, sequence, subject, noSubject, cause, receipt, slot, state],
      ...[now, now, endedAt, endedAt, run.error, run.detail, run.inputs],
    ];
  });
  await tx.insert(INSERTION, rows);
}

/** What a run is at its beginning. */
export interface RunStart {
  readonly id: string;
  readonly automation: string;
  readonly conversation: string;
  readonly state: RunState;
  readonly created_at: number;
}

/** Null: there is none, or it was pruned. */
export function readRunStart(tx: Tx, id: string): Promise<RunStart | null> {
  return first(tx, 'select id, automation, conversation, state, created_at from runs where id = ?', [id]);
}

/** What live runs are looked for by: each of these names one at most. */
export interface RunSearch {
  readonly conversations: readonly string[];
  readonly subjects: readonly { readonly automation: string; readonly subject: string }[];
}

const IS_LIVE = `r.state in (${quoted(LIVE)})`;
const OF_LIVE = 'r.id, r.automation, r.conversation, r.subject';

/** The live runs of these conversations and of these subjects of automations, each once. */
export async function liveRunsOf(tx: Tx, { conversations, subjects }: RunSearch): Promise<LiveRun[]> {
  if (conversations.length === 0 && subjects.length === 0) return [];
  const pairs = subjects.map(({ automation, subject }) => [automation, subject]);
  const { sql, values } = tx.dialect.given('g', { whose: 'text', what: 'text' }, pairs);
  return tx.all(
    `select ${OF_LIVE} from runs r where r.conversation ${tx.dialect.among('uuid')} and ${IS_LIVE}
     union
     select ${OF_LIVE} from ${sql} join runs r on r.automation = g.whose and r.subject = g.what where r.subject is not null and ${IS_LIVE}`,
    [conversations, ...values],
  );
}

/** Those of these automations of which any run lives. */
export async function busyAutomations(tx: Tx, automations: readonly string[]): Promise<string[]> {
  if (automations.length === 0) return [];
  const rows = await tx.all<{ automation: string }>(
    `select distinct r.automation from runs r where r.automation ${tx.dialect.among('text')} and ${IS_LIVE}`,
    [automations],
  );
  return rows.map(({ automation }) => automation);
}
