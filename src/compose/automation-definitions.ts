import { Logger } from '@nestjs/common';
import { reviewMade } from '../automations/definitions/review-made.js';
import { type Declared, syncAutomations } from '../automations/definitions/sync-automations.js';
import type { Config } from '../config/config.js';
import { surroundingsOf } from '../config/surroundings.js';
import type { AutomationSpec } from '../core/automations/automation.js';
import { AutomationDesk, AutomationWorld } from '../core/automations/automation-desk.js';
import { configuredAutomations, madeAutomations } from '../core/automations/automations.js';
import { placeAutomation } from '../core/automations/place-automation.js';
import { agentOf, type Surroundings } from '../core/automations/surroundings.js';
import { uploadOf } from '../core/automations/tarball-fault.js';
import { RunDesk } from '../core/runs/run-desk.js';
import { Signals } from '../core/signals.js';
import { openUpload } from '../core/uploads/uploads.js';
import { namesSubjects } from '../core/webhooks/webhook-settings.js';
import { webhooksOf } from '../core/webhooks/webhooks.js';
import type { Database } from '../database/database.js';
import type { Tx } from '../database/tx.js';
import type { HostParts } from './host-parts.js';

/** The automations that people make, and what is looked at when they do. */
export function automationProviders({ config, database }: HostParts) {
  return [
    { provide: AutomationWorld, inject: [RunDesk], useFactory: (runs: RunDesk) => new ConfiguredWorld(config, runs) },
    {
      provide: AutomationDesk,
      inject: [Signals, AutomationWorld],
      useFactory: (signals: Signals, world: AutomationWorld) => new AutomationDesk(database, signals, world),
    },
  ];
}

class ConfiguredWorld extends AutomationWorld {
  constructor(
    private readonly config: Config,
    private readonly runs: RunDesk,
  ) {
    super();
  }

  async around(tx: Tx, org: string): Promise<Surroundings> {
    const configured = surroundingsOf(this.config, org);
    const made = (await webhooksOf(tx, org)).map(({ source, settings }) => [source, { namesSubjects: namesSubjects(settings) }] as const);
    return { ...configured, sources: new Map([...made, ...configured.sources]) };
  }

  async tarballFault(tx: Tx, org: string, { tarball }: AutomationSpec): Promise<string | null> {
    const upload = tarball === null ? null : uploadOf(tarball);
    if (upload === null || (await openUpload(tx, org, upload)) !== null) return null;
    return 'names an upload that this organisation does not have';
  }

  async stopped(_automation: string, by: string): Promise<void> {
    await this.runs.skipUnwanted(`its automation was switched off by ${by}`);
  }
}

/** Before the first event: the automations of the store are those of the configuration, and those that were made beside it. */
export async function bringInAutomations(config: Config, database: Database, signals: Signals): Promise<void> {
  const aroundOf = (org: string) => surroundingsOf(config, org);
  const declared = config.automations.map(
    ({ org, enabled, spec }): Declared => ({ org, enabled, spec, agent: agentOf(spec, aroundOf(org)) }),
  );
  const { made, changed, dropped, homeless } = await database.transaction(async (tx) => {
    const { changed: edited, ...synced } = await syncAutomations(tx, declared);
    const reviewed = await reviewMade(tx, aroundOf);
    return { ...synced, changed: edited + reviewed.changed, homeless: reviewed.homeless };
  });
  const log = new Logger('Automations');
  if (made + changed + dropped > 0) {
    log.log(`${made} made, ${changed} changed, ${dropped} disabled because the configuration does not have them any more`);
    signals.emit('automations');
  }
  const all = await database.transaction(async (tx) => [...(await configuredAutomations(tx)), ...(await madeAutomations(tx))]);
  for (const automation of all) if (automation.version > 1) await placeAutomation(database, automation);
  for (const { id, org, spec } of homeless)
    log.warn(
      `automation ${id} of ${org} names ${spec.runtime === null ? `the workspace ${spec.workspace}` : `the runtime ${spec.runtime}`}, which the configuration does not have: its runs will fail`,
    );
}
