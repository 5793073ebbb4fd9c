import type { Database } from '../../database/database.js';
import { Conflict, NotFound } from '../../plugin/index.js';
import type { Signals } from '../signals.js';
import { storable } from '../storable.js';
import { reconcileRun } from './end-run.js';
import type { RunDesk } from './run-desk.js';
import { insertLogs } from './run-logs.js';
import { type RunRow, readRun, savePhase } from './run-rows.js';

/** What an entrypoint says of its end. */
export interface Report {
  readonly status: 'completed' | 'failed';
  readonly costUsd: number | null;
  readonly error: unknown;
  /** JSON. */
  readonly metadata: string | null;
}

const LONGEST_DETAIL = 4 * 1024;
const PERMANENT = ['auth', 'config', 'quota', 'blocked'];
const NO_WORDS = 'its entrypoint says that it failed, and not why';

/** What the entrypoints of runs tell: hints, beside which the runs are watched all the same. */
export class RunReports {
  constructor(
    private readonly database: Database,
    private readonly signals: Signals,
    private readonly desk: RunDesk,
  ) {}

  /** Throws `Conflict` saying what the run is where that is over. */
  async complete(run: string, { status, costUsd, error, metadata }: Report): Promise<RunRow> {
    const about = { run, token: null, costUsd, metadata };
    const ended =
      status === 'completed'
        ? await this.desk.end({ ...about, how: 'complete', error: null, detail: null })
        : await this.desk.end({ ...about, how: 'fail', error: 'reported', ...readError(error) });
    const isLate =
      ended === null && status === 'completed' && (await this.database.transaction((tx) => reconcileRun(tx, run, costUsd, metadata)));
    const row = await this.read(run);
    if (ended === null && !isLate) throw new Conflict(`run ${run} is ${row.state} already`);
    return row;
  }

  async phase(run: string, phase: string): Promise<RunRow> {
    const isLive = await this.database.transaction(async (tx) => {
      const saved = await savePhase(tx, run, phase);
      if (saved) await insertLogs(tx, run, [{ kind: 'phase', body: phase }]);
      return saved;
    });
    const row = await this.read(run);
    if (!isLive) throw new Conflict(`run ${run} is ${row.state} already`);
    this.signals.emit('activity', row.conversation);
    return row;
  }

  private async read(id: string): Promise<RunRow> {
    const row = await this.database.transaction((tx) => readRun(tx, id));
    if (row === null) throw new NotFound(`There is no run ${id}.`);
    return row;
  }
}

/** Text, or an object as agents report their errors: `{ code, detail, classification: { kind, user_action } }`. */
function readError(error: unknown): { detail: string; isPermanent: boolean } {
  if (typeof error === 'string' && error.trim() !== '') return { detail: storable(error, LONGEST_DETAIL), isPermanent: false };
  if (typeof error !== 'object' || error === null) return { detail: NO_WORDS, isPermanent: false };
  const { code, detail, classification } = error as Record<string, unknown>;
  const { kind, user_action: action } = (typeof classification === 'object' && classification !== null ? classification : {}) as Record<
    string,
    unknown
  >;
  const words = [code, detail].filter((word) => typeof word === 'string').join(': ');
  const isPermanent = (typeof kind === 'string' && PERMANENT.includes(kind)) || action === 'settings';
  return { detail: storable(words === '' ? JSON.stringify(error) : words, LONGEST_DETAIL), isPermanent };
}
