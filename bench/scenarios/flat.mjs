// Whether it stays as fast when there is much behind it: the same on an empty database and on one that is full of completed deliveries.
import { fill } from '../databases/fill.mjs';
import { interleave } from '../measure/interleave.mjs';
import { runBacklog, runLoad } from '../measure/run-load.mjs';
import { ratio, series } from '../measure/series.mjs';
import { fresh } from '../sizes.mjs';
import { startThroughline } from '../systems/throughline.mjs';
import { withDatabase, withSystem } from './running.mjs';

export const flat = {
  name: 'flat',
  about: 'the cost of accepting and of working on a full database, against an empty one',
  run: ({ kind, size, rounds, progress }) =>
    withDatabase(kind, (empty) =>
      withDatabase(kind, async (full) => {
        const { completed, conversations } = size.scale;
        await Promise.all([empty, full].map((database) => prepare(database, size)));
        progress.begin(`${completed.toLocaleString('en')} completed deliveries of ${conversations.toLocaleString('en')} conversations`);
        await fill(full, size.scale);
        progress.end({});
        const entries = [
          { name: 'empty', database: empty },
          { name: 'full', database: full },
        ];
        const results = await interleave(entries, rounds, ({ name, database }, round) =>
          acceptThenWork({ database, size, progress, what: `round ${round + 1}, ${name}` }),
        );
        return report(results);
      }),
    ),
};

/** The first start makes the tables; the first load makes them warm. */
function prepare(database, size) {
  return withSystem(startThroughline({ database }), (system) => runLoad(system, fresh(size.warmUp)));
}

/** Both halves of the work on their own: a server that only accepts, then one that only works. */
async function acceptThenWork({ database, size, progress, what }) {
  progress.begin(`${what}: accept`);
  const accept = await withSystem(startThroughline({ database, processes: [0] }), async (system) => {
    const warmUp = await runLoad(system, fresh(size.warmUp), { works: false });
    const { figures, accepted } = await runLoad(system, fresh(size.load), { works: false });
    return { figures, accepted: new Map([...warmUp.accepted, ...accepted]) };
  });
  progress.end(accept.figures);
  progress.begin(`${what}: work`);
  const work = await withSystem(startThroughline({ database, coalesce: 1 }), (system) => runBacklog(system, accept.accepted));
  progress.end(work);
  return { accept: accept.figures, work };
}

function report({ empty, full }) {
  const accepts = (results) => results.map(({ accept }) => accept);
  const works = (results) => results.map(({ work }) => work);
  const rates = (results, key) => results.map((figures) => figures[key]);
  return {
    series: [
      series('empty-accept', 'empty: accept', accepts(empty)),
      series('full-accept', 'full: accept', accepts(full)),
      series('empty-work', 'empty: claim and finalize', works(empty)),
      series('full-work', 'full: claim and finalize', works(full)),
    ],
    measures: [
      ratio('time to accept, full ÷ empty', rates(accepts(empty), 'acceptedPerSecond'), rates(accepts(full), 'acceptedPerSecond'), {
        most: 1.2,
      }),
      ratio('time to claim and finalize, full ÷ empty', rates(works(empty), 'donePerSecond'), rates(works(full), 'donePerSecond'), {
        most: 1.1,
      }),
    ],
  };
}
