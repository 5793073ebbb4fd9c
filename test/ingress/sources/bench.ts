import { Logger } from '@nestjs/common';
import { Signals } from '../../../src/core/signals.js';
import type { Database } from '../../../src/database/database.js';
import type { EventAdmission } from '../../../src/ingress/event-source.js';
import type { SourceSpec } from '../../../src/ingress/sources/source-spec.js';
import { SourceSupervisor } from '../../../src/ingress/sources/source-supervisor.js';
import type { Backfill, PollTransport, StreamTransport } from '../../../src/plugin/index.js';
import type { Core } from '../../core/core.js';
import { chat, parser } from './fakes.js';

Logger.overrideLogger(false);

const about = { connection: chat, provider: 'fake', subjects: parser };

export function streamSpec(transport: StreamTransport, hasHistory = false, name = 'tracker'): SourceSpec {
  return { ...about, kind: 'stream', name: `stream:default/${name}`, transport, hasHistory };
}

export function pollSpec(transport: PollTransport): SourceSpec {
  return { ...about, kind: 'poll', name: 'poll:default/tracker', transport, intervalMs: 10 };
}

export function backfillSpec(backfill: Backfill, stream: string | null = null): SourceSpec {
  return { ...about, kind: 'backfill', name: 'backfill:default/tracker', backfill, stream };
}

/** A replica's supervisor over a real core. */
export class SourceBench {
  readonly signals = new Signals();
  readonly supervisor: SourceSupervisor;
  owner: number | null;

  constructor(
    readonly core: Core,
    specs: readonly SourceSpec[],
    change: { database?: Database; admission?: EventAdmission } = {},
  ) {
    this.owner = core.owner;
    this.supervisor = new SourceSupervisor(specs, {
      ...{ database: core.database, admission: core.admissions, signals: this.signals },
      ...{ backoff: { firstMs: 20, maxMs: 100 }, owner: () => this.owner, lookMs: 20 },
      ...change,
    });
  }

  states(): Promise<{ name: string; state: string | null; detail: string | null; owner: number | null; token: number }[]> {
    return this.core.rows('select name, state, detail, owner, token from leases order by name');
  }

  async state(): Promise<string | null | undefined> {
    return (await this.states())[0]?.state;
  }

  /** The ids of what was delivered, in the order of the conversations. */
  async delivered(): Promise<string[]> {
    const rows = await this.core.rows<{ id: string }>(
      'select r.delivery_id as id from deliveries d join receipts r on r.id = d.receipt order by d.conversation, d.sequence',
    );
    return rows.map(({ id }) => id);
  }

  received(): Promise<{ delivery_id: string }[]> {
    return this.core.rows('select delivery_id from receipts order by id');
  }
}
