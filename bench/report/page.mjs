// The figures of docs/performance.md and its picture, out of the results of a run.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { measureTable, seriesTable } from './columns.mjs';
import { picture } from './picture.mjs';
import { markdownTable } from './table.mjs';

const PAGE = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
const PICTURE = fileURLToPath(new URL('../../docs/performance.svg', import.meta.url));
const BEGIN = '<!-- figures: written by npm run bench -- --write -->';
const END = '<!-- end of figures -->';

export function writePage(results) {
  const throughput = results.reports.filter(({ scenario }) => scenario === 'throughput');
  if (throughput.length > 0) writeFileSync(PICTURE, picture(throughput));
  writeFileSync(PAGE, withFigures(readFileSync(PAGE, 'utf8'), figuresText(results)));
}

export function withFigures(page, figures) {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`docs/performance.md has lost its marks: ${BEGIN} … ${END}`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${figures}\n\n${page.slice(end)}`;
}

export function figuresText({ at, machine, size, load, rounds, reports }) {
  const { node, platform, cpus, cpu, memoryGb } = machine;
  const where = `Measured on ${at.slice(0, 10)} on ${cpus} CPUs (${cpu}), ${memoryGb} GB, ${platform}, Node ${node}; size \`${size}\` (${load.deliveries.toLocaleString('en')} deliveries over ${load.subjects.toLocaleString('en')} subjects by ${load.producers} producers), medians of ${rounds} rounds.`;
  const hasPicture = reports.some(({ scenario }) => scenario === 'throughput');
  const parts = [where, ...foreign(reports)];
  if (hasPicture) parts.push('![Deliveries done a second, of each system](performance.svg)');
  return [...parts, ...reports.flatMap(section)].join('\n\n');
}

/** Who reads figures should know whether the machine was ours. */
function foreign(reports) {
  const shares = reports.flatMap(({ series }) => series.flatMap((each) => each.rounds.map(({ foreignCpus }) => foreignCpus ?? 0)));
  const most = Math.max(0, ...shares);
  if (most < 0.2) return [];
  return [
    `**Preliminary**: other programs used up to ${most.toFixed(1)} CPUs meanwhile. Ratios of one round bear that; rates and times do not.`,
  ];
}

function section({ scenario, about, database, series, measures, notes }) {
  const parts = [`### ${scenario}, ${database === 'sqlite' ? 'SQLite' : 'PostgreSQL'}`, `${about[0].toUpperCase()}${about.slice(1)}.`];
  if (measures.length > 0) parts.push(markdownTable(...measureTable(measures)));
  if (series.length > 0) parts.push(markdownTable(...seriesTable(series)));
  return [...parts, ...notes.map((note) => `(${note})`)];
}
