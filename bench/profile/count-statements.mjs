// Loaded before a server that is profiled: counts the statements that go to its database, and how long each took. Written when it ends.
import { writeFileSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import pg from 'pg';

const { BENCH_STATEMENTS } = process.env;
const seen = new Map();
const names = new Map();

/** The patterns of different numbers of rows are one statement. Worked out once a text: who counts must not be what is seen. */
function nameOf(sql) {
  const known = names.get(sql);
  if (known !== undefined) return known;
  const name = sql
    .replace(/\s+/g, ' ')
    .replace(/(\?|\$\d+)(, ?(\?|\$\d+))+/g, '?…')
    .replace(/(\((\?…|\?|\$\d+)\)(, ?)?)+/g, '(?…)')
    .trim();
  names.set(sql, name);
  return name;
}

function note(sql, begunAt) {
  const name = nameOf(sql);
  const statement = seen.get(name) ?? { name, count: 0, milliseconds: 0 };
  statement.count++;
  statement.milliseconds += performance.now() - begunAt;
  seen.set(name, statement);
}

function timed(prototype, method, sqlOf) {
  const original = prototype[method];
  prototype[method] = function (...args) {
    const begunAt = performance.now();
    const sql = sqlOf(this, args[0]);
    try {
      return original.apply(this, args);
    } finally {
      note(sql, begunAt);
    }
  };
}

timed(Sqlite.prototype, 'exec', (_, sql) => sql);
const statements = Object.getPrototypeOf(new Sqlite(':memory:').prepare('select 1'));
for (const method of ['all', 'run', 'get']) timed(statements, method, ({ source }) => source);

const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (...args) {
  const begunAt = performance.now();
  const result = query.apply(this, args);
  const done = () => note(typeof args[0] === 'string' ? args[0] : (args[0].text ?? 'unknown'), begunAt);
  result?.then?.(done, done);
  return result;
};

process.on('exit', () => {
  const sorted = [...seen.values()].sort((a, b) => b.milliseconds - a.milliseconds);
  writeFileSync(BENCH_STATEMENTS, JSON.stringify(sorted));
});
