import type { Database } from '../../database/database.js';
import type { Tx } from '../../database/tx.js';
import { NotFound } from '../../plugin/index.js';
import type { Admissions } from '../admission/admissions.js';
import { lockQueues } from '../deliveries/queues.js';
import { NotWritable } from '../effects/not-writable.js';
import type { Outbound } from '../effects/outbound.js';
import type { Signals } from '../signals.js';
import { auditApproval } from './approval-desk.js';
import { type ApprovalRow, approvedApprovals, expireApprovals, markTold, nextExpiryIn, untoldApprovals } from './approvals.js';
import { type Execution, isAwaited, takeApproved } from './execute-approval.js';
import { outcomeText } from './outcome-text.js';

export interface RunnerParts {
  readonly database: Database;
  readonly signals: Signals;
  readonly admissions: Pick<Admissions, 'tell'>;
  readonly outbound: Pick<Outbound, 'perform'>;
  readonly execution: Omit<Execution, 'owner'>;
  /** The replica that this process is; null: it may begin nothing now. */
  readonly owner: () => number | null;
  readonly warn: (message: string) => void;
}

const BATCH = 50;
/** Writes of approvals at one time. */
const AT_ONCE = 8;
/** Undecided things of others, and what a lost signal would have told, are looked at this often. */
const LOOK_MS = 1_000;

/** Does what was approved, and tells agents what came of it; on as many replicas as there are. */
export class ApprovalRunner {
  private readonly performing = new Map<string, Promise<void>>();
  private timer: NodeJS.Timeout | null = null;
  private looking: Promise<void> | null = null;
  private isToLookAgain = false;
  private isStopping = false;
  private isStarted = false;

  constructor(private readonly parts: RunnerParts) {
    parts.signals.on('approvals', () => this.wake());
  }

  start(): void {
    this.isStarted = true;
    this.wake();
  }

  /** Begins nothing more. What is on its way to a provider ends with all that is. */
  async stop(): Promise<void> {
    this.isStopping = true;
    if (this.timer !== null) clearTimeout(this.timer);
    await this.looking;
  }

  private wake(): void {
    if (!this.isStarted || this.isStopping) return;
    this.isToLookAgain = true;
    this.looking ??= this.work().finally(() => {
      this.looking = null;
      if (!this.isStopping) this.rest();
    });
  }

  private rest(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => this.wake(), LOOK_MS);
  }

  private async work(): Promise<void> {
    while (this.isToLookAgain && !this.isStopping) {
      this.isToLookAgain = false;
      await this.look().catch((error: Error) => this.parts.warn(`cannot look at approvals: ${error.message}`));
    }
  }

  private async look(): Promise<void> {
    if (this.parts.owner() === null) return;
    await this.expire();
    const { approved, untold } = await this.parts.database.transaction(async (tx) => ({
      approved: await approvedApprovals(tx, BATCH),
      untold: await untoldApprovals(tx, BATCH),
    }));
    for (const row of approved) await this.take(row);
    for (const row of untold) await this.each(row, () => this.tell(row));
  }

  private async expire(): Promise<void> {
    const { database } = this.parts;
    if (((await database.transaction(nextExpiryIn)) ?? 1) > 0) return;
    const expired = await database.transaction(async (tx) => {
      const rows = await expireApprovals(tx, BATCH);
      for (const row of rows) {
        await auditApproval(tx, row, 'throughline', 'expire');
        await this.parts.execution.show(tx, row);
      }
      return rows;
    });
    this.announce(expired);
  }

  private async take(row: ApprovalRow): Promise<void> {
    const owner = this.parts.owner();
    if (owner === null || this.performing.has(row.id) || this.performing.size >= AT_ONCE) return;
    await this.each(row, async () => {
      const { database, execution } = this.parts;
      const step = await database.transaction((tx) => takeApproved(tx, row, { ...execution, owner }));
      if (step.is === 'over') this.announce([row]);
      if (step.is !== 'perform') return;
      const performed = this.parts.outbound
        .perform(step.write)
        .then(
          () => undefined,
          (error: unknown) => {
            if (!(error instanceof NotWritable)) this.parts.warn(`approval ${row.id}: ${(error as Error).message}`);
          },
        )
        .finally(() => {
          this.performing.delete(row.id);
          this.wake();
        });
      this.performing.set(row.id, performed);
    });
  }

  /** A failure of one is no matter of the others; it is tried again at the next look. */
  private async each({ id }: ApprovalRow, work: () => Promise<void>): Promise<void> {
    await work().catch((error: Error) => this.parts.warn(`approval ${id}: ${error.message}`));
  }

  /** That it is told commits after its delivery; a crash between the two makes it a duplicate of itself. */
  private async tell(row: ApprovalRow): Promise<void> {
    const { admissions, database } = this.parts;
    if (row.kind === 'permission' && row.state !== 'executed' && (await database.transaction((tx) => isStillAwaited(tx, row)))) return;
    const text = outcomeText(row);
    if (text !== null) {
      const by = row.decided_by ?? 'throughline';
      const message = { org: row.org, conversation: row.conversation, text, wake: true, by };
      await admissions.tell({ ...message, id: `approval:${row.id}`, eventKey: `approval.${row.state}` }).catch((error: Error) => {
        if (!(error instanceof NotFound)) throw error;
      });
    }
    await database.transaction((tx) => markTold(tx, row.id));
  }

  private announce(rows: readonly ApprovalRow[]): void {
    if (rows.length === 0) return;
    for (const { conversation } of rows) this.parts.signals.emit('activity', conversation);
    this.parts.signals.emit('errands');
    this.parts.signals.emit(
      'approvals',
      rows.map(({ conversation }) => conversation),
    );
  }
}

async function isStillAwaited(tx: Tx, row: ApprovalRow): Promise<boolean> {
  return isAwaited(row, (await lockQueues(tx, [row.conversation])).get(row.conversation));
}
