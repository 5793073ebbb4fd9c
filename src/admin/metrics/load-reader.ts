import { Inject, Injectable } from '@nestjs/common';
import { readApprovalLoad } from '../../core/approvals/approvals.js';
import { readErrandLoad } from '../../core/controls/errands.js';
import { countRetrying, readLoad } from '../../core/deliveries/read-load.js';
import { readHeldLoad } from '../../core/effects/candidates.js';
import { readJobLoad } from '../../core/jobs/jobs.js';
import { countLeases } from '../../core/leases/leases.js';
import { readRunLoad } from '../../core/runs/list-runs.js';
import { Database } from '../../database/database.js';
import { Metrics } from './metrics.js';

/** Reading it looks at every queue: however many scrape, it is done this seldom. */
const FRESH_MS = 5_000;

/** Keeps what the metrics say of the database fresh. */
@Injectable()
export class LoadReader {
  private reading: Promise<void> | null = null;
  private staleAt = 0;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Metrics) private readonly metrics: Metrics,
  ) {}

  async refresh(): Promise<void> {
    if (performance.now() < this.staleAt) return;
    this.reading ??= this.read().finally(() => {
      this.reading = null;
    });
    await this.reading;
  }

  private async read(): Promise<void> {
    try {
      await this.database.transaction(async (tx) => {
        this.metrics.show(await readLoad(tx), await countRetrying(tx), await readHeldLoad(tx), Date.now());
        this.metrics.showJobs(await readJobLoad(tx));
        this.metrics.showErrands(await readErrandLoad(tx));
        this.metrics.showApprovals(await readApprovalLoad(tx));
        this.metrics.showRuns(await readRunLoad(tx));
        this.metrics.showSources(await countLeases(tx));
      });
      this.staleAt = performance.now() + FRESH_MS;
    } catch {
      // Whoever watches the server must not go blind with it.
      this.metrics.showNothing();
    }
  }
}
