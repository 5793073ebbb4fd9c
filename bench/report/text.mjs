// Reports as a person reads them in a terminal.
import { measureTable, seriesTable } from './columns.mjs';
import { table } from './table.mjs';

export function reportText({ scenario, about, database, series, measures, notes }) {
  const parts = [`\n${scenario} on ${database}: ${about}`];
  if (series.length > 0) parts.push(table(...seriesTable(series)));
  if (measures.length > 0) parts.push(table(...measureTable(measures)));
  return [...parts, ...notes.map((note) => `(${note})`)].join('\n\n');
}

export function profileText({ database, coalesce, seconds, areas, functions }) {
  const rows = (items) => items.map(({ name, share, milliseconds }) => [name, `${(100 * share).toFixed(1)} %`, milliseconds.toFixed(0)]);
  return [
    `\nprofile on ${database}, coalesce ${coalesce}: where the server's thread was busy for ${seconds.toFixed(1)} s`,
    table(['area', 'share', 'ms'], rows(areas)),
    table(['function, by its own time', 'share', 'ms'], rows(functions)),
  ].join('\n\n');
}
