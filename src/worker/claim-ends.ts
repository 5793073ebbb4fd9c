import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { GroupCommit } from '../core/admission/group-commit.js';
import { type ClaimEnd, type EndResult, endClaims, isAlarming, type RetryPolicy } from '../core/deliveries/end-claims.js';
import { conversationGone } from '../core/runs/conversation-gone.js';
import type { Signals } from '../core/signals.js';
import type { Database } from '../database/database.js';
import { isRefused } from '../database/tx.js';
import type { WorkTable } from './work-table.js';

const PAUSE_MS = 500;

/** Ends claims, those that end together in one transaction. A store that is down delays an end; the claim is held as long as it is ours. */
export class ClaimEnds {
  private readonly logger = new Logger('Worker');
  private readonly group: GroupCommit<ClaimEnd, EndResult>;

  constructor(
    private readonly database: Database,
    private readonly signals: Signals,
    private readonly policy: RetryPolicy,
    table: WorkTable,
    private readonly isStopping: () => boolean,
  ) {
    const timezoneOf = (org: string, workspace: string) => table.rules(org, workspace).timezone;
    this.group = new GroupCommit(
      async (ends) => {
        const { results, isReady } = await database.transaction(
          (tx) => endClaims(tx, ends, policy, timezoneOf, conversationGone),
          'by_index',
        );
        if (isReady) signals.emit('ready');
        if (ends.some(({ how }) => how === 'gone')) signals.emit('runs');
        if (ends.some(({ shown }) => shown)) signals.emit('errands');
        return results;
      },
      (error) => isRefused(database.dialect.fault(error)),
      { group: 100, waiting: Number.POSITIVE_INFINITY, onOverflow: () => new Error('unreachable: there is no limit') },
    );
  }

  async submit(end: ClaimEnd, signal: AbortSignal): Promise<EndResult> {
    for (;;) {
      try {
        return await this.group.submit(end);
      } catch (error) {
        const isRefusal = isRefused(this.database.dialect.fault(error));
        if (isRefusal && (end.unstored?.length || end.shown)) {
          this.logger.error(`the store refuses what a turn has said, so it ends without a transcript of that: ${(error as Error).message}`);
          return this.submit({ ...end, unstored: [], shown: null }, signal);
        }
        if (isRefusal && end.how !== 'interrupted') {
          this.logger.error(`the store refuses what the turn said, so it ends without it: ${(error as Error).message}`);
          return this.submit({ claim: end.claim, how: 'interrupted', failure: 'the store refused what the turn said', turn: null }, signal);
        }
        this.logger.warn(`cannot end a turn yet: ${(error as Error).message}`);
        if (signal.aborted || this.isStopping()) return 'stale';
        await delay(PAUSE_MS);
      }
    }
  }

  /** Tells people of an end that is no success. */
  report(end: Exclude<ClaimEnd, { how: 'completed' }>): void {
    const line = `${end.claim.conversation}: ${end.how}${this.prospect(end)}: ${end.failure}`;
    if (end.how === 'spent') this.signals.emit('parked', 'spent');
    if (!isAlarming(end, this.policy)) {
      this.logger.warn(line);
      return;
    }
    this.logger.error(line);
    this.signals.emit('alert', end.claim.head.kind === 'lifecycle' ? 'lifecycle' : 'preparation');
  }

  private prospect(end: ClaimEnd): string {
    const { head } = end.claim;
    const { maxAttempts } = this.policy;
    const attempt = head.attempts + 1;
    if (end.how !== 'failed') return '';
    const isLast = attempt >= maxAttempts && head.kind !== 'lifecycle';
    return ` (attempt ${attempt} of ${maxAttempts}${isLast && end.onDead === 'stall' ? '; stalled until an operator decides' : ''})`;
  }
}
