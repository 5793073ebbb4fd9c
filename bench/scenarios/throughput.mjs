// How much gets done a second, beside the peers.

import { interleave } from '../measure/interleave.mjs';
import { isFaultless, worst } from '../measure/judge.mjs';
import { ratio, series } from '../measure/series.mjs';
import { median } from '../measure/statistics.mjs';
import { absent, ours, peers } from '../systems/competitors.mjs';
import { measured } from './running.mjs';

/** By how much the best correct peer is to be surpassed, with coalescing and with a turn a delivery. */
const WANTED = { postgres: { 20: { least: 5 }, 1: { least: 3 } }, sqlite: { 20: { least: 5 }, 1: null } };

export const throughput = {
  name: 'throughput',
  about: 'what gets done a second, beside the peers',
  async run({ kind, size, rounds, withPeers, progress }) {
    const systems = [...ours(kind), ...(withPeers ? peers(kind) : [])];
    const results = await interleave(systems, rounds, async (system, round) => {
      progress.begin(`round ${round + 1}, ${system.label}`);
      const figures = await measured(system.kind, system.start, size);
      progress.end(figures);
      return figures;
    });
    return {
      series: systems.map(({ name, label }) => series(name, label, results[name])),
      measures: comparisons(kind, systems, results),
      notes: withPeers ? absent(kind) : ['without peers'],
    };
  },
};

function comparisons(kind, systems, results) {
  const rate = (name) => results[name].map(({ donePerSecond }) => donePerSecond);
  const correct = systems.filter(({ name, isOurs }) => !isOurs && isFaultless(worst(results[name].map(({ faults }) => faults))));
  const best = correct.toSorted((a, b) => median(rate(b.name)) - median(rate(a.name)))[0];
  if (best === undefined) return [];
  return [20, 1].map((coalesce) => {
    const what = `done/s of Throughline, coalesce ${coalesce} ÷ ${best.label} (the best correct peer)`;
    return ratio(what, rate(`throughline-${coalesce}`), rate(best.name), WANTED[kind][coalesce]);
  });
}
