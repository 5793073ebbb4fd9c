// The picture of the page: what each system gets done a second, as bars; a system with a fault is drawn hollow, with its faults.
import { isFaultless } from '../measure/judge.mjs';
import { faultsText, number } from './format.mjs';

const WIDTH = 860;
const LABELS = 260;
const BARS = 380;
const ROW = 30;
const HEAD = 44;
const TITLES = { postgres: 'PostgreSQL', sqlite: 'SQLite, and peers in memory' };

const STYLE = `
text { font-family: ui-sans-serif, system-ui, sans-serif; font-size: 13px; fill: #1f2933; }
.title { font-size: 15px; font-weight: 600; } .label { text-anchor: end; } .small { font-size: 11.5px; fill: #52606d; }
.ours { fill: #0e7c86; } .peer { fill: #9aa5b1; } .faulty { fill: none; stroke: #b44d12; stroke-dasharray: 4 3; } .fault { fill: #b44d12; }
@media (prefers-color-scheme: dark) {
text { fill: #e4e7eb; } .small { fill: #9aa5b1; } .ours { fill: #2bb0b8; } .peer { fill: #616e7c; } .faulty { stroke: #f0914b; } .fault { fill: #f0914b; }
}`;

/** Of the throughput reports, a panel a database. */
export function picture(reports) {
  const panels = [];
  let top = 0;
  for (const report of reports) {
    panels.push(panel(report, top));
    top += HEAD + report.series.length * ROW + 16;
  }
  const spoken = reports.flatMap(({ series }) => series.map(({ label, median }) => `${label}: ${number(median.donePerSecond)}`)).join('; ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" role="img" aria-label="${escaped(`Deliveries done a second. ${spoken}.`)}">`,
    `<style>${STYLE}\n</style>`,
    ...panels,
    '</svg>\n',
  ].join('\n');
}

function panel({ database, series }, top) {
  const most = Math.max(...series.map(({ median }) => median.donePerSecond));
  const title = `<text class="title" x="${LABELS}" y="${top + 24}">${TITLES[database]}: deliveries done a second</text>`;
  const sorted = series.toSorted((a, b) => b.median.donePerSecond - a.median.donePerSecond);
  return [title, ...sorted.map((each, i) => bar(each, top + HEAD + i * ROW, most))].join('\n');
}

function bar({ name, label, median, faults }, y, most) {
  const length = Math.max(2, Math.round((BARS * median.donePerSecond) / most));
  const isCorrect = isFaultless(faults);
  const kind = name.startsWith('throughline') ? 'ours' : 'peer';
  const note = isCorrect ? '' : `<tspan class="fault" dx="8">${escaped(faultsText(faults))}</tspan>`;
  return [
    `<text class="label" x="${LABELS - 10}" y="${y + 15}">${escaped(label)}</text>`,
    `<rect class="${isCorrect ? kind : 'faulty'}" x="${LABELS}" y="${y}" width="${length}" height="20" rx="3"/>`,
    `<text x="${LABELS + length + 8}" y="${y + 15}">${number(median.donePerSecond)}${note}</text>`,
  ].join('');
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
