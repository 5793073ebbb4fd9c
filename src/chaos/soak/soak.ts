import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../database/database.js';
import { first } from '../../database/tx.js';
import { Seeded } from '../../testing/host/seeded.js';
import { Chronicle } from '../fleet/chronicle.js';
import { Replica } from '../fleet/replica.js';
import { makeHome } from '../home.js';
import { brokenRules } from '../invariants.js';
import type { ChaosStore } from '../store.js';
import { GithubEvents } from '../traffic/github-events.js';
import { Sender } from '../traffic/sender.js';
import { residentMb, type Sample } from './memory.js';

export interface SoakOutcome {
  readonly samples: readonly Sample[];
  readonly faults: readonly string[];
}

const SUBJECTS = 500;
const AT_ONCE = 32;
const MOST_OPEN = 2000;
const LOOK_MS = 500;

/** One server that is not disturbed, and deliveries as fast as it does them. */
export class Soak {
  private readonly samples: Sample[] = [];
  private readonly began = performance.now();
  private readonly over = new AbortController();
  private readonly replica: Replica;
  private readonly chronicle: Chronicle;
  private readonly sender: Sender;
  private accepted = 0;
  private open = 0;

  constructor(
    private readonly deliveries: number,
    private readonly store: ChaosStore,
    folder: string,
    private readonly onSample: (samples: readonly Sample[]) => void,
  ) {
    const home = makeHome(folder, { url: store.url, leaseMs: 30_000, concurrency: 8, runtime: { kind: 'echo' } });
    this.chronicle = new Chronicle(path.join(folder, 'chronicle.jsonl'));
    this.replica = new Replica(
      { ...{ name: 'one', folder, env: home.env, shiftMs: 0, leaseMs: 30_000 }, losesLease: false },
      this.chronicle,
    );
    this.sender = new Sender(() => [this.replica.url], new GithubEvents(home.secret), new Seeded(1), this.over.signal);
  }

  async run(): Promise<SoakOutcome> {
    await this.replica.live([].values(), this.over.signal);
    const keeping = this.replica.keep(this.over.signal);
    const database = await this.storeOfServer();
    try {
      const looking = this.look(database);
      await this.sendAll();
      await looking;
      const faults = [...this.chronicle.faults, ...this.sender.faults, ...(await this.faultsIn(database))];
      this.over.abort();
      await keeping;
      await this.replica.stop();
      return { samples: this.samples, faults };
    } finally {
      this.over.abort();
      this.replica.kill();
      await database.close();
    }
  }

  /** Once the first delivery is accepted, the server has made its tables. */
  private async storeOfServer(): Promise<Database> {
    await this.sendNumber(0);
    return this.store.open();
  }

  private async sendAll(): Promise<void> {
    let next = 1;
    const lane = async (): Promise<void> => {
      for (let number = next++; number < this.deliveries; number = next++) {
        while (this.open > MOST_OPEN) await pause(LOOK_MS / 10);
        await this.sendNumber(number);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
  }

  private async sendNumber(number: number): Promise<void> {
    const [subject, tick] = [1 + (number % SUBJECTS), 1 + Math.floor(number / SUBJECTS)];
    await this.sender.send({ id: `chaos-${subject}-${tick}`, kind: 'comment', subject, tick, isOpen: true });
    this.accepted += 1;
    // The answers are of no further interest here, and would be memory of ours.
    this.sender.sent.length = 0;
  }

  /** Until everything is done. */
  private async look(database: Database): Promise<void> {
    do {
      await pause(LOOK_MS);
      const { accepted } = this;
      this.open =
        (
          await database.transaction((tx) =>
            first<{ open: number }>(
              tx,
              "select count(*) as open from deliveries d join queues q on q.conversation = d.conversation where q.open > 0 and d.sequence >= q.head and d.state <> 'completed'",
            ),
          )
        )?.open ?? 0;
      this.samples.push({
        done: Math.max(0, accepted - this.open),
        atMs: performance.now() - this.began,
        rssMb: residentMb(this.replica.pid),
      });
      this.onSample(this.samples);
    } while (this.accepted < this.deliveries || this.open > 0);
  }

  private async faultsIn(database: Database): Promise<string[]> {
    const done = await database.transaction((tx) =>
      first<{ count: number }>(tx, "select count(*) as count from deliveries where outcome = 'done'"),
    );
    const isAll = done?.count === this.deliveries;
    return [...(isAll ? [] : [`${done?.count} of ${this.deliveries} deliveries are done`]), ...(await brokenRules(database))];
  }
}
