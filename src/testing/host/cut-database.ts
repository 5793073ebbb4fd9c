import { Database } from '../../database/database.js';
import type { Plans, Tx } from '../../database/tx.js';

/** The store as one life of a server has it: when that life is cut off, nothing of it is stored any more. */
export class CutDatabase extends Database {
  private isCut = false;

  constructor(private readonly whole: Database) {
    super(whole.orm, whole.dialect, { transaction: (work, plans) => whole.transaction(work, plans) });
  }

  override async transaction<Result>(work: (tx: Tx) => Promise<Result>, plans?: Plans): Promise<Result> {
    this.assertWhole();
    return this.whole.transaction(async (tx) => {
      const result = await work(tx);
      // Cut off in its midst, it is rolled back.
      this.assertWhole();
      return result;
    }, plans);
  }

  cut(): void {
    this.isCut = true;
  }

  /** The store outlives the server. */
  override async close(): Promise<void> {}

  private assertWhole(): void {
    if (this.isCut) throw new Error('this server has crashed');
  }
}
