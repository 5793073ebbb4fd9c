// What waits: whether much of it is worked off as fast as little, and whether one conversation with much of it slows the others.
import { runBacklog, runLoad } from '../measure/run-load.mjs';
import { measure, ratio, series } from '../measure/series.mjs';
import { fresh } from '../sizes.mjs';
import { startThroughline } from '../systems/throughline.mjs';
import { withDatabase, withSystem } from './running.mjs';

export const backlog = {
  name: 'backlog',
  about: 'a large backlog, and one conversation with a long one',
  async run(context) {
    const drained = { 20: [], 1: [] };
    const beside = { quiet: [], hot: [] };
    for (let round = 0; round < context.rounds; round++) {
      for (const coalesce of [20, 1]) drained[coalesce].push(await drain(context, coalesce, round));
      // The rate that both are posted at is the same, and one that a server with room for it bears.
      const rate = Math.min(...drained[1].map(({ donePerSecond }) => donePerSecond)) / 2;
      for (const name of round % 2 === 0 ? ['quiet', 'hot'] : ['hot', 'quiet'])
        beside[name].push(await others(context, { name, rate, round }));
    }
    return report(drained, beside);
  },
};

function drain({ kind, size, progress }, coalesce, round) {
  return withDatabase(kind, async (database) => {
    progress.begin(`round ${round + 1}, ${size.backlog.deliveries.toLocaleString('en')} are accepted`);
    const { figures, accepted } = await acceptOnly(database, size.backlog);
    progress.end(figures);
    progress.begin(`round ${round + 1}, and worked off, coalesce ${coalesce}`);
    const drained = await withSystem(startThroughline({ database, coalesce }), (system) => runBacklog(system, accepted));
    progress.end(drained);
    return drained;
  });
}

/** The others' figures, with or without a conversation that has a turn for each of very many deliveries before it. */
function others({ kind, size, progress }, { name, rate, round }) {
  return withDatabase(kind, async (database) => {
    if (name === 'hot') {
      progress.begin(`round ${round + 1}, ${size.hot.toLocaleString('en')} of one conversation are accepted`);
      progress.end((await acceptOnly(database, { deliveries: size.hot, subjects: 1, producers: 1 })).figures);
    }
    progress.begin(`round ${round + 1}, the others, ${name === 'hot' ? 'beside it' : 'on their own'}`);
    const { figures } = await withSystem(startThroughline({ database, coalesce: 1 }), async (system) =>
      runLoad(system, { ...fresh(size.load), rate }),
    );
    progress.end(figures);
    return figures;
  });
}

function acceptOnly(database, load) {
  return withSystem(startThroughline({ database, processes: [0] }), (system) =>
    runLoad(system, { ...fresh(load), duplicates: false }, { works: false }),
  );
}

function report(drained, beside) {
  const part = (results, index) => results.map(({ rateOfParts }) => rateOfParts.at(index) ?? null);
  const evenly = [20, 1].map((coalesce) =>
    ratio(`rate of the last fifth ÷ the first, coalesce ${coalesce}`, part(drained[coalesce], -1), part(drained[coalesce], 0), {
      least: 0.9,
    }),
  );
  const starts = (name) => beside[name].map(({ startMs }) => startMs.p50);
  return {
    series: [
      series('drained-20', 'worked off, coalesce 20', drained[20]),
      series('drained-1', 'worked off, a turn a delivery', drained[1]),
      series('quiet', 'others on their own', beside.quiet),
      series('hot', 'others beside a long backlog', beside.hot),
    ],
    measures: [
      ...evenly,
      ratio('POST to turn start of the others, p50, beside ÷ on their own', starts('hot'), starts('quiet'), { most: 1.25 }),
      measure(
        'POST to turn start of the others, beside it, p99',
        beside.hot.map(({ startMs }) => startMs.p99),
        'ms',
      ),
    ],
  };
}
