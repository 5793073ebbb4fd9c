import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../../config/config.js';
import { bury, enlist } from '../../core/replicas/replicas.js';
import type { Database } from '../../database/database.js';
import { schemaStatus } from '../../database/migrate.js';
import { openDatabase } from '../../database/open-database.js';
import { clock } from '../../database/tx.js';
import { messageOf } from '../exit-code.js';
import { shownUrl, sqliteFile } from '../open-store.js';
import { isMissing } from '../store.js';
import { type Finding, fault, ok, warning } from './finding.js';
import { checkFolder, isWritable } from './folders.js';

const OTHERS_MAY_WRITE = 0o002;
const TOLERATED_OFFSET_MS = 5_000;

/** What a database that is there says of itself; null where it cannot be asked. */
export interface DatabaseState {
  readonly findings: readonly Finding[];
  readonly database: Database | null;
}

/** Looks at the database without making or changing it. Whoever gets it closes it. */
export async function checkDatabase({ database: { url } }: Config): Promise<DatabaseState> {
  const file = sqliteFile(url);
  const files = file === null ? [] : await checkFile(file);
  if (isMissing(url) || files.some(({ verdict }) => verdict === 'fault')) return { findings: files, database: null };
  try {
    const database = await openDatabase({ url, poolSize: 1 });
    return { findings: [...files, ...(await ask(database, url))], database };
  } catch (error) {
    return { findings: [...files, unreachable(error, url)], database: null };
  }
}

async function checkFile(file: string): Promise<Finding[]> {
  const found = await stat(file).catch(() => null);
  const folder = await checkFolder('Folder', dirname(file));
  if (found === null) return [folder, ok('File', `${file}, made by the first start`)];
  if (!found.isFile()) return [folder, fault('File', `${file} is no file`, 'Name a file in database.url.')];
  if (!(await isWritable(file)))
    return [folder, fault('File', `${file} cannot be written to by this user`, 'Give the file to the user that runs the server.')];
  const isOpenToAll = (found.mode & OTHERS_MAY_WRITE) !== 0;
  return [
    folder,
    isOpenToAll ? warning('File', `everybody on this machine may write to ${file}`, `Run: chmod 600 ${file}`) : ok('File', file),
  ];
}

async function ask(database: Database, url: string): Promise<Finding[]> {
  try {
    const now = await database.transaction(clock);
    const schema = await checkSchema(database);
    return [
      ok('Reachable', shownUrl(url)),
      schema,
      ...(schema.verdict === 'ok' ? [await tryToWrite(database)] : []),
      await checkDialect(database, now - Date.now()),
    ];
  } catch (error) {
    await database.close();
    throw error;
  }
}

function unreachable(error: unknown, url: string): Finding {
  const fix =
    sqliteFile(url) === null
      ? 'Start the database, or correct database.url (host, port, user, password, name).'
      : 'Name a SQLite file in database.url, or a new one.';
  return fault('Reachable', `${shownUrl(url)} cannot be used: ${messageOf(error)}`, fix);
}

async function checkSchema(database: Database): Promise<Finding> {
  const { applied, pending, unknown } = await schemaStatus(database);
  if (unknown.length > 0)
    return fault('Schema', `made by a newer version (${unknown.join(', ')})`, 'Run that version, or restore a backup from before it.');
  if (pending.length > 0)
    return warning('Schema', `not applied yet: ${pending.join(', ')}`, 'The next start applies them; so does: throughline migrate up');
  return ok('Schema', `up to date (${applied.at(-1) ?? 'no migration'})`);
}

/** A row that comes and goes in one transaction: the disk has to take it, and nobody sees it. */
async function tryToWrite(database: Database): Promise<Finding> {
  try {
    await database.transaction(async (tx) => {
      const id = await enlist(tx, { name: 'doctor', bootId: '', pid: process.pid, processStarted: '' }, 0);
      await bury(tx, [id]);
    });
    return ok('Write', 'a test row was written and removed');
  } catch (error) {
    return fault(
      'Write',
      `nothing can be written: ${messageOf(error)}`,
      'Make room on the disk, or give the user of database.url the right to write.',
    );
  }
}

async function checkDialect(database: Database, offsetMs: number): Promise<Finding> {
  if (database.dialect.name === 'sqlite') return checkJournal(database);
  const message = `${Math.abs(offsetMs / 1000).toFixed(1)} s ${offsetMs < 0 ? 'behind' : 'ahead of'} this machine`;
  if (Math.abs(offsetMs) <= TOLERATED_OFFSET_MS) return ok('Clock', message);
  return warning('Clock', message, 'Synchronise the clocks of both machines (NTP): the age of events is judged by the database’s clock.');
}

async function checkJournal(database: Database): Promise<Finding> {
  const [row] = await database.transaction((tx) => tx.all<{ journal_mode: string }>('pragma journal_mode'));
  if (row?.journal_mode === 'wal') return ok('Journal', 'WAL');
  return fault(
    'Journal',
    `${row?.journal_mode ?? 'unknown'} instead of WAL`,
    'Put the file on a local disk: network file systems cannot hold a write-ahead log.',
  );
}
