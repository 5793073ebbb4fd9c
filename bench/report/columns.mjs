// The columns that series and measures are shown in, on the terminal and on the page.
import { number, wantedText, withUnit } from './format.mjs';

const pair = (quantiles) => (quantiles ? `${number(quantiles.p50)} / ${number(quantiles.p99)}` : '–');

const FIGURES = [
  ['accepted/s', ({ median }) => number(median.acceptedPerSecond)],
  ['done/s', ({ median }) => number(median.donePerSecond)],
  ['answer p50 / p99 ms', ({ median }) => pair(median.answerMs)],
  ['turn start p50 / p99 ms', ({ median }) => pair(median.startMs)],
  ['CPU µs + database', ({ median }) => `${number(median.cpuMicros?.server)} + ${number(median.cpuMicros?.database)}`],
  ['lost', ({ faults }) => count(faults?.lost)],
  ['twice', ({ faults }) => count(faults?.twice)],
  ['out of order', ({ faults }) => count(faults?.disordered)],
  ['overlapping', ({ faults }) => count(faults?.overlapping)],
];

export function seriesTable(series) {
  return [['', ...FIGURES.map(([title]) => title)], series.map((each) => [each.label, ...FIGURES.map(([, read]) => read(each))])];
}

export function measureTable(measures) {
  const rows = measures.map((each) => [each.what, withUnit(each.median, each.unit), range(each), wantedText(each), verdict(each)]);
  return [['', 'median', 'least to most', 'wanted', ''], rows];
}

function range({ values }) {
  const known = values.filter(Number.isFinite);
  return known.length < 2 ? '' : `${number(Math.min(...known))} to ${number(Math.max(...known))}`;
}

function verdict({ holds }) {
  if (holds === null) return '';
  return holds ? 'met' : 'missed';
}

function count(value) {
  return value === undefined ? '–' : String(value);
}
