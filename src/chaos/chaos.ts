import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Seeded } from '../testing/host/seeded.js';
import { Chronicle } from './fleet/chronicle.js';
import type { Fate } from './fleet/fate.js';
import { Replica } from './fleet/replica.js';
import { type ChaosHome, judgedRuntime, makeHome } from './home.js';
import { AgentLog } from './judge/agent-log.js';
import { type Evidence, judge, type Verdict } from './judge/judge.js';
import { isAtRest, readStore } from './judge/read-store.js';
import type { ChaosStore } from './store.js';
import { GithubEvents } from './traffic/github-events.js';
import { Operator } from './traffic/operator.js';
import { Sender } from './traffic/sender.js';
import { Subject } from './traffic/subjects.js';

export interface ChaosPlan {
  readonly folder: string;
  readonly store: ChaosStore;
  readonly seed: number;
  readonly replicas: readonly { readonly name: string; readonly shiftMs: number; readonly losesLease: boolean }[];
  /** What happens to each replica; chaos also ends when all of them have no more fates. */
  readonly fates: (chance: Seeded) => Iterator<Fate, unknown, undefined>;
  /** How long, from the first accepted event on; null: until all fates are met. */
  readonly forMs: number | null;
  readonly leaseMs: number;
  readonly subjects: number;
  readonly concurrency: number;
}

export interface Scene {
  readonly chronicle: Chronicle;
  readonly sender: Sender;
  readonly log: AgentLog;
}

export interface Outcome {
  readonly verdict: Verdict;
  readonly evidence: Evidence;
  readonly chronicle: Chronicle;
  readonly sender: Sender;
}

/** Longest time in which all that was accepted is to be done once nobody is killed any more. */
const DRAIN_MS = 300_000;
const LOOK_MS = 200;

/** Servers, producer and agents for the time of the plan, and what is to be said of it in the end. */
export class Chaos {
  readonly chronicle: Chronicle;
  readonly sender: Sender;
  readonly log: AgentLog;
  private readonly home: ChaosHome;
  private readonly chance: Seeded;
  private readonly replicas: readonly Replica[];
  private readonly operator: Operator;
  private readonly subjects: readonly Subject[];
  private readonly giveUp = new AbortController();

  constructor(private readonly plan: ChaosPlan) {
    const { folder, store, leaseMs, concurrency, seed } = plan;
    const log = path.join(folder, 'agent.log');
    this.home = makeHome(folder, { url: store.url, leaseMs, concurrency, runtime: judgedRuntime({ log, takesMs: 4, failing: 0.01 }) });
    this.chance = new Seeded(seed);
    this.chronicle = new Chronicle(path.join(folder, 'chronicle.jsonl'));
    this.log = new AgentLog(log);
    this.replicas = plan.replicas.map((each) => new Replica({ ...each, folder, env: this.home.env, leaseMs }, this.chronicle));
    const urls = () => this.replicas.map(({ url }) => url);
    this.sender = new Sender(urls, new GithubEvents(this.home.secret), this.chance.fork(), this.giveUp.signal);
    this.operator = new Operator(urls, this.home.token);
    this.subjects = Array.from(
      { length: plan.subjects },
      (_, index) => new Subject(index + 1, this.sender, this.operator, this.chance.fork()),
    );
  }

  /** Kills until the signal aborts or there are no more fates; then lets everything come to rest. */
  async run(stop: AbortSignal): Promise<Outcome> {
    const over = new AbortController();
    const watching = this.watch(over.signal);
    try {
      await this.rage(stop);
      await Promise.all(this.replicas.map((replica) => replica.stop()));
    } finally {
      for (const replica of this.replicas) replica.kill();
      over.abort();
      await watching;
    }
    const evidence = await this.evidence();
    return { verdict: judge(evidence), evidence, chronicle: this.chronicle, sender: this.sender };
  }

  private async rage(stop: AbortSignal): Promise<void> {
    const enough = new AbortController();
    const rested = new AbortController();
    const signal = AbortSignal.any([stop, enough.signal]);
    const { forMs, fates } = this.plan;
    void this.sender.begun.then(() => forMs !== null && setTimeout(() => enough.abort(), forMs));
    const subjects = this.subjects.map((subject) => subject.live(signal));
    await Promise.all(this.replicas.map((replica) => replica.live(fates(this.chance.fork()), signal)));
    enough.abort();
    const keeping = this.replicas.map((replica) => replica.keep(rested.signal));
    const limit = setTimeout(() => this.giveUp.abort(), DRAIN_MS);
    await Promise.all(subjects);
    clearTimeout(limit);
    await this.drain();
    rested.abort();
    await Promise.all(keeping);
  }

  /** Waits until nothing is open; what still is after the limit is stuck. */
  private async drain(): Promise<void> {
    const store = await this.plan.store.open();
    const deadline = performance.now() + DRAIN_MS;
    try {
      while (performance.now() < deadline && !(await store.transaction(isAtRest))) await pause(LOOK_MS);
    } finally {
      await store.close();
    }
  }

  /** Tells subjects what agents have handled, so that they go on. */
  private async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.readLog();
      await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
    this.readLog();
  }

  private readLog(): void {
    for (const { what, sent } of this.log.readOn())
      if (what === 'end' && sent !== '') this.subjects[Number(sent.split('-')[1]) - 1]?.handled(sent);
  }

  private async evidence(): Promise<Evidence> {
    const { sent } = this.sender;
    const faults = [...this.chronicle.faults, ...this.sender.faults, ...this.operator.faults];
    const found = await readStore(this.plan.store);
    return { sent, sightings: this.log.sightings, cuts: this.chronicle.cuts, deeds: this.operator.deeds, faults, ...found };
  }
}
