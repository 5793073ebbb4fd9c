// Two processes on one database, against one.
import { interleave } from '../measure/interleave.mjs';
import { ratio, series } from '../measure/series.mjs';
import { CONCURRENCY, startThroughline } from '../systems/throughline.mjs';
import { measured } from './running.mjs';

const SETS = [
  { name: 'one', label: 'one process', processes: [CONCURRENCY] },
  { name: 'two', label: 'two processes', processes: [CONCURRENCY, CONCURRENCY] },
  { name: 'split', label: 'one accepts, one works', processes: [0, CONCURRENCY], accepting: [0] },
];

export const replicas = {
  name: 'replicas',
  about: 'two processes on one database, against one',
  async run({ kind, size, rounds, progress }) {
    if (kind !== 'postgres') return { series: [], measures: [], notes: ['SQLite has one server: several need PostgreSQL'] };
    const results = await interleave(SETS, rounds, async ({ label, processes, accepting }, round) => {
      progress.begin(`round ${round + 1}, ${label}`);
      const figures = await measured(kind, (database) => startThroughline({ database, processes, accepting }), size);
      progress.end(figures);
      return figures;
    });
    const rate = (name) => results[name].map(({ donePerSecond }) => donePerSecond);
    return {
      series: SETS.map(({ name, label }) => series(name, label, results[name])),
      measures: [
        ratio('done/s of two processes ÷ one', rate('two'), rate('one'), { least: 0.9 }),
        ratio('done/s of one that accepts and one that works ÷ one', rate('split'), rate('one')),
      ],
    };
  },
};
