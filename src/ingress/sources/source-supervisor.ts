import { Logger } from '@nestjs/common';
import { noteGap } from '../../core/gaps/note-gap.js';
import { giveUpLease, type LeaseRow, readLeases, takeLease } from '../../core/leases/leases.js';
import type { Signals } from '../../core/signals.js';
import type { SourceSpec } from './source-spec.js';
import { type SourcePorts, SupervisedSource } from './supervised-source.js';

export interface SupervisorPorts extends SourcePorts {
  readonly signals: Signals;
  /** Under which leases are taken; null: none may be taken now. */
  readonly owner: () => number | null;
  /** How often to look for sources that nobody has. */
  readonly lookMs: number;
}

/** Keeps up the streams, pollers and backfills that are this replica's, and takes those that are nobody's. */
export class SourceSupervisor {
  private readonly log = new Logger('Sources');
  private readonly running = new Map<string, { readonly source: SupervisedSource; readonly gone: Promise<void> }>();
  private timer: NodeJS.Timeout | null = null;
  private looking: Promise<void> | null = null;
  private mustLookAgain = false;
  private isStopping = false;

  constructor(
    private readonly specs: readonly SourceSpec[],
    private readonly ports: SupervisorPorts,
  ) {
    ports.signals.on('sources', () => this.look());
    ports.signals.on('lost', () => {
      for (const { source } of this.running.values()) source.stop();
    });
  }

  /** Before the first event of this process, which would make it look as if nothing had been missed. */
  async noteGaps(): Promise<void> {
    for (const spec of this.specs)
      if (spec.kind === 'backfill') await noteGap(this.ports.database, spec.connection.org, spec.connection.name);
  }

  start(): void {
    if (this.specs.length === 0 || this.isStopping) return;
    this.timer ??= setInterval(() => this.look(), this.ports.lookMs);
    this.look();
  }

  /** How a source that has no lease, since every replica has its own, stands here. */
  standing(name: string): SupervisedSource['standing'] | null {
    return this.running.get(name)?.source.standing ?? null;
  }

  /** Closes everything and gives it back, so that others need not wait. */
  async stop(): Promise<void> {
    this.isStopping = true;
    if (this.timer) clearInterval(this.timer);
    await this.looking;
    const running = [...this.running.values()];
    for (const { source } of running) source.stop();
    await Promise.all(running.map(({ gone }) => gone));
  }

  private look(): void {
    if (this.specs.length === 0 || this.isStopping) return;
    this.mustLookAgain = true;
    this.looking ??= this.lookAll()
      .catch((error: Error) => this.log.warn(`cannot look for sources: ${error.message}`))
      .finally(() => {
        this.looking = null;
      });
  }

  private async lookAll(): Promise<void> {
    while (this.mustLookAgain && !this.isStopping) {
      this.mustLookAgain = false;
      const { database } = this.ports;
      const owner = this.ports.owner();
      if (owner === null) return;
      const rows = await database.transaction((tx) =>
        readLeases(
          tx,
          this.specs.filter(isLeased).map(({ name }) => name),
        ),
      );
      const byName = new Map(rows.map((row) => [row.name, row]));
      for (const spec of this.specs) await this.consider(spec, byName.get(spec.name), owner);
    }
  }

  private async consider(spec: SourceSpec, row: LeaseRow | undefined, owner: number): Promise<void> {
    const own = this.running.get(spec.name)?.source;
    if (own) {
      if (own.lease !== null && (row?.owner !== own.lease.owner || row.token !== own.lease.token)) own.stop();
      return;
    }
    if (!isLeased(spec)) return this.run(new SupervisedSource(spec, null, this.ports));
    if (row !== undefined && row.replica !== null && row.owner !== owner) return;
    const lease = await this.ports.database.transaction((tx) => takeLease(tx, spec.name, owner));
    if (lease === null || this.isStopping) return;
    this.run(new SupervisedSource(spec, lease, this.ports));
  }

  private run(source: SupervisedSource): void {
    const { name } = source.spec;
    const gone = source.ended
      .catch((error: Error) => this.log.error(`${name}: ${error.message}`))
      .then(() => this.giveUp(source))
      .catch((error: Error) => this.log.warn(`${name}: cannot be given back: ${error.message}`))
      .finally(() => {
        this.running.delete(name);
        this.ports.signals.emit('sources');
      });
    this.running.set(name, { source, gone });
  }

  private async giveUp({ lease }: SupervisedSource): Promise<void> {
    if (lease !== null) await this.ports.database.transaction((tx) => giveUpLease(tx, lease));
  }
}

function isLeased(spec: SourceSpec): boolean {
  return !(spec.kind === 'stream' && spec.transport.several === true);
}
