import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Uploads } from '../automations/uploads/uploads.js';
import type { RetentionConfig } from '../config/config.js';
import type { Admissions } from '../core/admission/admissions.js';
import { admitKept } from '../core/admission/admit-kept.js';
import { Maintenance, type Task } from '../core/maintenance/maintenance.js';
import { PRUNE_EVERY_MS, pruneExpired } from '../core/maintenance/retention.js';
import { countTables } from '../core/maintenance/statistics.js';
import type { ConversationPurges } from '../core/purges/conversation-purges.js';
import type { Route } from '../core/routing/route.js';
import type { Signals } from '../core/signals.js';
import type { Database } from '../database/database.js';
import type { HostParts } from './host-parts.js';

const REPLAY_EVERY_MS = 60_000;
const RESUME_PURGES_EVERY_MS = 60_000;
const SWEEP_EVERY_MS = 600_000;
const COUNT_EVERY_MS = 5000;
/** Between two batches others have their turn. */
const PAUSE_MS = 20;

/** All that this server does by itself again and again, beside its lease and its work. */
export function maintenanceOf(
  { config, routes, database }: HostParts,
  signals: Signals,
  purges: ConversationPurges,
  admissions: Admissions,
  uploads: Uploads,
): Maintenance {
  const logger = new Logger('Maintenance');
  const tasks: Task[] = [
    { name: 'retention', everyMs: PRUNE_EVERY_MS, run: (signal) => prune(database, config.retention, signals, logger, signal) },
    {
      name: 'replay',
      everyMs: REPLAY_EVERY_MS,
      run: (signal) => replayKept(database, admissions, routes.filter(takesKept), logger, signal),
    },
    { name: 'statistics', everyMs: COUNT_EVERY_MS, run: async () => void (await database.transaction(countTables)) },
    { name: 'uploads', everyMs: SWEEP_EVERY_MS, run: (signal) => sweep(uploads, logger, signal) },
    {
      name: 'purges',
      everyMs: RESUME_PURGES_EVERY_MS,
      run: async (signal) => {
        const finished = await purges.resume(signal, ({ conversation }, { message }) =>
          logger.warn(`${conversation}: cannot be purged yet, it is tried again: ${message}`),
        );
        if (finished > 0) logger.log(`${finished} purges that were cut off are done`);
      },
    },
  ];
  return new Maintenance(tasks, ({ name }, error) => logger.warn(`${name} failed and is tried again: ${error.message}`));
}

function takesKept({ activation, replay }: Route): boolean {
  return activation === 'on_event' && replay;
}

/** Also what a replica of the configuration before has kept since. */
async function replayKept(
  database: Database,
  admissions: Admissions,
  routes: readonly Route[],
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  for (const route of routes) {
    const total = { admitted: 0, lost: 0 };
    for (let isDone = false; !isDone && !signal.aborted; ) {
      const batch = await admitKept(database, admissions, route, 'switch');
      total.admitted += batch.admitted;
      total.lost += batch.lost;
      isDone = batch.isDone;
      if (!isDone) await delay(PAUSE_MS);
    }
    if (total.admitted > 0) logger.log(`${total.admitted} events that the route ${route.org}/${route.name} had kept are admitted`);
    if (total.lost > 0) logger.warn(`${total.lost} events that the route ${route.org}/${route.name} had kept are gone: pruned, or purged`);
  }
}

async function sweep(uploads: Uploads, logger: Logger, signal: AbortSignal): Promise<void> {
  const count = await uploads.sweep(signal);
  if (count > 0) logger.log(`${count} uploads that nobody can start any more are removed`);
}

async function prune(database: Database, retention: RetentionConfig, signals: Signals, logger: Logger, signal: AbortSignal): Promise<void> {
  const onPruned = (kind: string, count: number) => signals.emit('pruned', kind, count);
  const pruned = await pruneExpired(database, retention, { signal, onPruned, pause: () => delay(PAUSE_MS) });
  if (pruned.size > 0) logger.log(`pruned ${[...pruned].map(([kind, count]) => `${count} ${kind}`).join(', ')}`);
}
