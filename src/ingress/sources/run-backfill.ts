import { Logger } from '@nestjs/common';
import { closeGap, failGap, type Gap, readGap, saveProgress } from '../../core/gaps/gaps.js';
import { readLeases } from '../../core/leases/leases.js';
import { Superseded } from '../../core/leases/superseded.js';
import { clock, type Tx } from '../../database/tx.js';
import type { BackfillProgress, EventSink } from '../../plugin/index.js';
import { InvalidPayload } from '../ingress-errors.js';
import { type Attempt, pause, untilSettled } from './attempt.js';
import type { Of } from './source-spec.js';

const LOOK_MS = 5_000;
const WAIT_MS = 500;
const OLDEST_MS = 7 * 24 * 3600_000;
const MOST_EVENTS = 10_000;
const LONGEST_PROGRESS = 65_536;

class Enough extends Error {}

/** Fills the gaps of a connection as they are noted, by asking its provider what was missed. */
export async function runBackfill(spec: Of<'backfill'>, attempt: Attempt): Promise<void> {
  const { org, name } = spec.connection;
  while (!attempt.signal.aborted) {
    const { gap, isNow } = await attempt.database.transaction(async (tx) => {
      return { gap: await readGap(tx, org, name), isNow: await isTold(tx, spec) };
    });
    if (gap !== null && isNow) await fill(spec, gap, attempt);
    attempt.connected();
    if (gap === null || !isNow) await pause(gap === null ? LOOK_MS : WAIT_MS, attempt.signal);
  }
}

/** What happens after a channel was asked, and before the stream stands, would be missed for good. */
async function isTold(tx: Tx, { stream }: Of<'backfill'>): Promise<boolean> {
  if (typeof stream !== 'string') return true;
  const [lease] = await readLeases(tx, [stream]);
  return lease?.state === 'connected' || lease?.state === 'misconfigured';
}

async function fill(spec: Of<'backfill'>, gap: Gap, attempt: Attempt): Promise<void> {
  const { org, name } = spec.connection;
  const log = new Logger('Sources');
  const oldest = (await attempt.database.transaction(clock)) - OLDEST_MS;
  const since = Math.max(gap.since, oldest);
  const count = { taken: 0, fresh: 0 };
  try {
    await untilSettled(attempt.signal, (signal) =>
      spec.backfill.since(spec.connection, new Date(since), sinkFor(spec, attempt, count, signal), signal, progressOf(gap, attempt)),
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

function progressOf(gap: Gap, { database, admission }: Attempt): BackfillProgress {
  return {
    saved: gap.progress,
    save: async (progress) => {
      if (progress.length > LONGEST_PROGRESS || progress.includes('\0') || !progress.isWellFormed())
        throw new InvalidPayload(`The progress of a backfill must be a text of at most ${LONGEST_PROGRESS} characters.`);
      await database.transaction(async (tx) => {
        await admission.hold(tx);
        await saveProgress(tx, gap, progress);
      });
    },
  };
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
