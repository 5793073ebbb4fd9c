import { Logger } from '@nestjs/common';
import { closeGap, failGap, type Gap, readGap } from '../../core/gaps/gaps.js';
import { Superseded } from '../../core/leases/superseded.js';
import { clock } from '../../database/tx.js';
import type { EventSink } from '../../plugin/index.js';
import { type Attempt, pause, untilSettled } from './attempt.js';
import type { Of } from './source-spec.js';

const LOOK_MS = 5_000;
const OLDEST_MS = 7 * 24 * 3600_000;
const MOST_EVENTS = 10_000;

class Enough extends Error {}

/** Fills the gaps of a connection as they are noted, by asking its provider what was missed. */
export async function runBackfill(spec: Of<'backfill'>, attempt: Attempt): Promise<void> {
  const { org, name } = spec.connection;
  while (!attempt.signal.aborted) {
    const gap = await attempt.database.transaction((tx) => readGap(tx, org, name));
    if (gap !== null) await fill(spec, gap, attempt);
    attempt.connected();
    await pause(LOOK_MS, attempt.signal);
  }
}

async function fill(spec: Of<'backfill'>, gap: Gap, attempt: Attempt): Promise<void> {
  const { org, name } = spec.connection;
  const log = new Logger('Sources');
  const oldest = (await attempt.database.transaction(clock)) - OLDEST_MS;
  const since = Math.max(gap.since, oldest);
  const count = { taken: 0, fresh: 0 };
  try {
    await untilSettled(attempt.signal, (signal) =>
      spec.backfill.since(spec.connection, new Date(since), sinkFor(spec, attempt, count, signal), signal),
    );
  } catch (error) {
    if (error instanceof Superseded || attempt.signal.aborted) throw error;
    if (!(error instanceof Enough)) {
      await attempt.database.transaction((tx) => failGap(tx, org, name, error instanceof Error ? error.message : String(error)));
      throw error;
    }
    log.warn(`${org}/${name}: more than ${MOST_EVENTS} events were missed; those after them are not asked for`);
  }
  await attempt.database.transaction(async (tx) => {
    await attempt.admission.hold(tx);
    await closeGap(tx, gap);
  });
  log.log(
    `${org}/${name}: asked for what was missed since ${new Date(since).toISOString()}: ${count.taken} events, ${count.fresh} of them new`,
  );
}

function sinkFor(spec: Of<'backfill'>, { admission }: Attempt, count: { taken: number; fresh: number }, signal: AbortSignal): EventSink {
  return {
    accept: async (event) => {
      if (signal.aborted) throw new Superseded(spec.name);
      if (count.taken >= MOST_EVENTS) throw new Enough(`${MOST_EVENTS} events were taken`);
      const [answer] = await admission.admit([event]);
      if (!answer) throw new Error('an admission without an answer');
      count.taken += 1;
      if (!answer.duplicate) count.fresh += 1;
      return { duplicate: answer.duplicate, receipt: answer.receipt, disposition: answer.disposition };
    },
  };
}
