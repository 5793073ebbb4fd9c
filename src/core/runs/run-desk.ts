import type { Database } from '../../database/database.js';
import { clock, type Tx } from '../../database/tx.js';
import { Conflict, NotFound } from '../../plugin/index.js';
import { audited } from '../audited.js';
import type { Placement } from '../controls/control.js';
import { slotOf } from '../controls/errands.js';
import { putPosts } from '../controls/posts.js';
import type { Signals } from '../signals.js';
import { endRun } from './end-run.js';
import type { RunEnd, RunEnded } from './run-end.js';
import { type RunRow, readRun } from './run-rows.js';
import { endOfRest, overdueRuns, restingRuns, unwantedRuns } from './watch-runs.js';

/** Where people see the conversations of a workspace; null: nowhere. */
export type PlacementOf = (org: string, workspace: string) => Placement | null;

const LONGEST_NOTICE = 600;

/** Ends runs, whoever wants it, and tells everybody whom it concerns. */
export class RunDesk {
  constructor(
    private readonly database: Database,
    private readonly signals: Signals,
    private readonly placementOf: PlacementOf,
  ) {}

  /** Null: it has ended already, or another attempt is at it. */
  async end(end: RunEnd): Promise<RunEnded | null> {
    const ended = await this.database.transaction((tx) => this.write(tx, end));
    if (ended !== null) await this.announce(ended, end);
    return ended;
  }

  /** Ends what has come to rest and what is out of time; how many. */
  async watch(): Promise<number> {
    const [resting, overdue] = await this.database.transaction((tx) => Promise.all([restingRuns(tx), overdueRuns(tx)]));
    let count = await this.skipUnwanted();
    for (const id of resting) {
      const end = await this.database.transaction((tx) => endOfRest(tx, id));
      if (end !== null && (await this.end(end)) !== null) count += 1;
    }
    for (const run of overdue) if (await this.timeOut(run)) count += 1;
    return count;
  }

  private async timeOut(run: string): Promise<boolean> {
    const detail = 'it did not end within its time';
    return (await this.end({ run, how: 'fail', token: null, error: 'timed_out', detail, isTimedOut: true })) !== null;
  }

  /** Stops it, wherever it is. Throws `Conflict` saying what it is where it has ended. */
  async cancel(org: string, id: string, by: string): Promise<RunRow> {
    const end = { run: id, how: 'cancel', token: null, error: 'cancelled', detail: `cancelled by ${by}` } as const;
    const ended = await audited(this.database, async (tx) => {
      await this.owned(tx, org, id);
      const made = await this.write(tx, end);
      if (made === null) throw new Conflict(`run ${id} is ${(await readRun(tx, id))?.state} already`);
      return made;
    });
    await this.announce(ended, end);
    return this.read(org, id);
  }

  async read(org: string, id: string): Promise<RunRow> {
    return this.database.transaction((tx) => this.owned(tx, org, id));
  }

  /** What waits to be started by automations that are off is not. */
  async skipUnwanted(detail = 'its automation is off'): Promise<number> {
    const unwanted = await this.database.transaction(unwantedRuns);
    let count = 0;
    for (const run of unwanted)
      if ((await this.end({ run, how: 'skip', token: null, error: 'automation_disabled', detail })) !== null) count += 1;
    return count;
  }

  private async owned(tx: Tx, org: string, id: string): Promise<RunRow> {
    const row = await readRun(tx, id);
    if (row?.org !== org) throw new NotFound(`There is no run ${id}.`);
    return row;
  }

  private async write(tx: Tx, end: RunEnd): Promise<RunEnded | null> {
    const ended = await endRun(tx, end);
    if (ended === null || end.how !== 'fail') return ended;
    const { row, workspace, disabled } = ended;
    const placement = this.placementOf(row.org, workspace);
    if (placement === null) return ended;
    const { conversation, org } = row;
    const switched = disabled === null ? '' : ` Its automation was switched off: ${disabled}.`;
    const text = `The run failed: ${end.detail ?? end.error}.${switched}`.slice(0, LONGEST_NOTICE).toWellFormed();
    const post = { slot: slotOf(conversation, 'run', row.id), text };
    await putPosts(tx, { conversation, org, workspace, placement }, [post], await clock(tx));
    return ended;
  }

  private async announce({ row, isFenced, disabled }: RunEnded, { how, error }: RunEnd): Promise<void> {
    // First: whoever is woken may claim the same conversation again.
    if (isFenced) this.signals.emit('fenced', [row.conversation]);
    this.signals.emit('ended', row.id, how, error);
    this.signals.emit('runs');
    this.signals.emit('ready');
    this.signals.emit('errands');
    this.signals.emit('activity', row.conversation);
    if (disabled === null) return;
    this.signals.emit('automations');
    await this.skipUnwanted(disabled);
  }
}
