// What storing costs: accepted a second, against the same server that verifies, parses and answers without a store.
import { interleave } from '../measure/interleave.mjs';
import { ratio, series } from '../measure/series.mjs';
import { CONCURRENCY, startStoreless, startThroughline } from '../systems/throughline.mjs';
import { measured } from './running.mjs';

const WANTED = {
  postgres: { idle: { least: 0.65 }, draining: { least: 0.5 } },
  sqlite: { idle: { least: 0.9 }, draining: { least: 0.75 } },
};

export const ceiling = {
  name: 'ceiling',
  about: 'accepted a second against the same server without a store',
  async run({ kind, size, rounds, progress }) {
    const systems = [
      { name: 'storeless', label: 'without a store', kind: 'none', start: startStoreless, works: false },
      { name: 'idle', label: 'workers idle', kind, start: (database) => startThroughline({ database, processes: [0] }), works: false },
      {
        name: 'draining',
        label: 'workers draining',
        kind,
        start: (database) => startThroughline({ database, processes: [CONCURRENCY] }),
        works: true,
      },
    ];
    const results = await interleave(systems, rounds, async (system, round) => {
      progress.begin(`round ${round + 1}, ${system.label}`);
      const figures = await measured(system.kind, system.start, size, { works: system.works });
      progress.end(figures);
      return figures;
    });
    const rate = (name) => results[name].map(({ acceptedPerSecond }) => acceptedPerSecond);
    return {
      series: systems.map(({ name, label }) => series(name, label, results[name])),
      measures: ['idle', 'draining'].map((name) =>
        ratio(`accepted/s with workers ${name} ÷ without a store`, rate(name), rate('storeless'), WANTED[kind][name]),
      ),
    };
  },
};
