import { GroupCommit } from '../../core/admission/group-commit.js';
import { noteAsked } from '../../core/approvals/approvals.js';
import { clearFault } from '../../core/controls/bindings.js';
import { type ErrandRow, endErrand, finishErrand, finishPlainErrands, type Posted } from '../../core/controls/errands.js';
import type { Database } from '../../database/database.js';
import type { Tx } from '../../database/tx.js';
import { bodyOf, type Result } from './errand-work.js';

interface Plain {
  readonly id: number;
  readonly owner: number;
}

/** Keeps what came of errands. There is one acknowledgement for each event, so those that end together are kept together. */
export class ErrandEnds {
  private readonly acknowledged: GroupCommit<Plain, true>;

  constructor(private readonly database: Database) {
    this.acknowledged = new GroupCommit(
      (ends) => this.keepTogether(ends),
      () => false,
      { group: 100, waiting: Number.POSITIVE_INFINITY, onOverflow: () => new Error('unreachable: there is no limit') },
    );
  }

  /** False, for what is not acknowledged: it is not the owner's any more. */
  end(errand: ErrandRow, owner: number, result: Result): Promise<boolean> {
    if (errand.kind === 'acknowledge' && result.how === 'done') return this.acknowledged.submit({ id: errand.id, owner });
    return this.database.transaction(async (tx) => {
      if (result.how === 'dropped') return endErrand(tx, errand, owner, 'drop', result.why);
      if (result.posted !== null) await noteApproval(tx, errand, result.posted);
      if (errand.conversation !== null && errand.kind !== 'acknowledge') await clearFault(tx, errand.conversation);
      return finishErrand(tx, errand, owner, result.posted);
    });
  }

  private async keepTogether(ends: readonly Plain[]): Promise<true[]> {
    const idsOf = Map.groupBy(ends, ({ owner }) => owner);
    await this.database.transaction(async (tx) => {
      for (const [owner, ended] of idsOf)
        await finishPlainErrands(
          tx,
          ended.map(({ id }) => id),
          owner,
        );
    }, 'by_index');
    return ends.map(() => true);
  }
}

/** What a person is asked is decided where it was asked. Approvals are locked before bindings and errands. */
async function noteApproval(tx: Tx, errand: ErrandRow, { thread }: Posted): Promise<void> {
  if (errand.kind !== 'post') return;
  const { isApproval, buttons = [] } = bodyOf<'post'>(errand);
  const [action] = buttons.map((button) => button.action);
  if (isApproval && action?.type === 'decision') await noteAsked(tx, action.approval, { connection: errand.connection, thread });
}
