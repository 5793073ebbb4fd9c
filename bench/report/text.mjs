// Reports as a person reads them in a terminal.
import { measureTable, seriesTable } from './columns.mjs';
import { number } from './format.mjs';
import { table } from './table.mjs';

export function reportText({ scenario, about, database, series, measures, notes }) {
  const parts = [`\n${scenario} on ${database}: ${about}`];
  if (series.length > 0) parts.push(table(...seriesTable(series)));
  if (measures.length > 0) parts.push(table(...measureTable(measures)));
  return [...parts, ...notes.map((note) => `(${note})`)].join('\n\n');
}

const STATEMENT_WIDTH = 110;

export function profileText({ database, coalesce, seconds, areas, functions, statements }) {
  const rows = (items) => items.map(({ name, share, milliseconds }) => [name, `${(100 * share).toFixed(1)} %`, milliseconds.toFixed(0)]);
  return [
    `\nprofile on ${database}, coalesce ${coalesce}: where the server's thread was busy for ${seconds.toFixed(1)} s`,
    table(['area', 'share', 'ms'], rows(areas)),
    table(['function, by its own time', 'share', 'ms'], rows(functions)),
    table(['statement, by the time until it is answered', 'a delivery', 'ms'], statements.map(statementRow)),
  ].join('\n\n');
}

function statementRow({ name, perDelivery, milliseconds }) {
  return [name.slice(0, STATEMENT_WIDTH), number(perDelivery), milliseconds.toFixed(0)];
}
