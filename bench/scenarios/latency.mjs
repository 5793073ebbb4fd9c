// How long an event takes when the server has room: at half of what it can do.
import { runLoad } from '../measure/run-load.mjs';
import { measure, series } from '../measure/series.mjs';
import { fresh } from '../sizes.mjs';
import { startThroughline } from '../systems/throughline.mjs';
import { withDatabase, withSystem } from './running.mjs';

/** What comes in faster than it is done has to wait, at whatever rate it is accepted. */
function saturation({ acceptedPerSecond, donePerSecond }) {
  return Math.min(acceptedPerSecond, donePerSecond);
}

export const latency = {
  name: 'latency',
  about: 'how long an event takes at half of the saturation rate',
  async run({ kind, size, rounds, progress }) {
    const saturated = [];
    const half = [];
    for (let round = 0; round < rounds; round++)
      await withDatabase(kind, (database) =>
        withSystem(startThroughline({ database }), async (system) => {
          progress.begin(`round ${round + 1}, saturated`);
          await runLoad(system, fresh(size.warmUp));
          const { figures } = await runLoad(system, fresh(size.load));
          progress.end(figures);
          saturated.push(figures);
          progress.begin(`round ${round + 1}, at half of that rate`);
          const { figures: atHalf } = await runLoad(system, { ...fresh(size.load), rate: saturation(figures) / 2 });
          progress.end(atHalf);
          half.push(atHalf);
        }),
      );
    const each = (read) => half.map(read);
    return {
      series: [series('saturated', 'saturated', saturated), series('half', 'half of the rate', half)],
      measures: [
        measure(
          'POST to turn start, p50',
          each(({ startMs }) => startMs.p50),
          'ms',
          { most: 10 },
        ),
        measure(
          'POST to turn start, p99',
          each(({ startMs }) => startMs.p99),
          'ms',
          { most: 60 },
        ),
        measure(
          'POST to answer, p99',
          each(({ answerMs }) => answerMs.p99),
          'ms',
          { most: 45 },
        ),
      ],
    };
  },
};
