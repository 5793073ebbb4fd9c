// What it takes to be there: memory, the time of a start, and the CPU of having nothing to do.
import { setTimeout as delay } from 'node:timers/promises';
import { runLoad } from '../measure/run-load.mjs';
import { measure, ratio, series } from '../measure/series.mjs';
import { cpuSeconds, memory } from '../measure/usage.mjs';
import { fresh } from '../sizes.mjs';
import { startThroughline } from '../systems/throughline.mjs';
import { withDatabase, withSystem } from './running.mjs';

const LOADS = 3;

export const footprint = {
  name: 'footprint',
  about: 'memory under load, a cold start, the CPU of idleness',
  async run({ kind, size, rounds, progress }) {
    const found = [];
    for (let round = 0; round < rounds; round++) {
      progress.begin(`round ${round + 1}, starts, ${LOADS} loads, idleness`);
      found.push(await withDatabase(kind, (database) => takes(database, size)));
      progress.end(found.at(-1).loads.at(-1));
    }
    const each = (read) => found.map(read);
    return {
      series: [
        series(
          'loads',
          'the last load',
          each(({ loads }) => loads.at(-1)),
        ),
      ],
      measures: [
        measure(
          'start to ready, new database',
          each(({ firstReadyMs }) => firstReadyMs / 1000),
          's',
          { most: 3 },
        ),
        measure(
          'start to ready, again',
          each(({ readyMs }) => readyMs / 1000),
          's',
          { most: 3 },
        ),
        measure(
          'resident memory, most under load',
          each(({ peak }) => peak),
          'MB',
          { most: 250 },
        ),
        ratio(
          'resident memory after the last load ÷ after the first',
          each(({ resident }) => resident.at(-1)),
          each(({ resident }) => resident[0]),
        ),
        measure(
          `CPU with ${size.idle.conversations} idle conversations`,
          each(({ idle }) => idle),
          '%',
          { most: 1 },
        ),
      ],
    };
  },
};

async function takes(database, size) {
  const firstReadyMs = await withSystem(startThroughline({ database }), async (system) => system.readyMs);
  return withSystem(startThroughline({ database }), async (system) => {
    const [pid] = system.pids;
    const { conversations, seconds } = size.idle;
    await runLoad(system, fresh({ deliveries: conversations, subjects: conversations, producers: size.load.producers }));
    const loads = [];
    const resident = [];
    for (let i = 0; i < LOADS; i++) {
      loads.push((await runLoad(system, fresh(size.load))).figures);
      resident.push(memory(pid).now);
    }
    const { peak } = memory(pid);
    const before = cpuSeconds([pid]);
    await delay(seconds * 1000);
    const idle = before === null ? null : (100 * (cpuSeconds([pid]) - before)) / seconds;
    return { firstReadyMs, readyMs: system.readyMs, loads, resident, peak, idle };
  });
}
