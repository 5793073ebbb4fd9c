import { Logger } from '@nestjs/common';
import { Scheduler } from '../automations/schedule/scheduler.js';
import { TriggerRegistry } from '../automations/triggers/trigger-registry.js';
import { surroundingsOf } from '../config/surroundings.js';
import { Admissions } from '../core/admission/admissions.js';
import { Signals } from '../core/signals.js';
import type { HostParts } from './host-parts.js';

/** Which automations listen to which source, as accept asks for each event. */
export function triggerProviders({ config, database }: HostParts) {
  const log = new Logger('Automations');
  const trusted = new Set(config.connections.flatMap(({ org, name, source }) => (source === 'private' ? [`${org}/${name}`] : [])));
  return [
    {
      provide: TriggerRegistry,
      inject: [Signals],
      useFactory: (signals: Signals) =>
        new TriggerRegistry(
          database,
          signals,
          {
            aroundOf: (org) => surroundingsOf(config, org),
            trustOf: (org, source) => (trusted.has(`${org}/${source}`) ? 'trusted' : 'untrusted'),
          },
          {
            unreadable: (automation, reason) => log.warn(`automation ${automation} listens to nothing: ${reason}`),
            failed: (reason) => log.warn(`what automations listen to could not be read, and stays what it was for now: ${reason}`),
          },
        ),
    },
    {
      provide: Scheduler,
      inject: [Admissions, Signals],
      useFactory: (admissions: Admissions, signals: Signals) =>
        new Scheduler(database, admissions, signals, (error) => log.warn(`cannot look for schedules: ${error.message}`)),
    },
  ];
}
