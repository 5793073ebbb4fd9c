import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { ConfigFault } from '../plugin/errors.js';

const OWN_DATABASE = 'give this one its own database.url (replicas need PostgreSQL)';

/**
 * Makes this process the one server of a SQLite file. The operating system gives the lock back however the holder dies,
 * so none is ever stale. Commands may go on writing to the database file itself beside the server.
 */
export function lockForServer(databaseFile: string, advice = OWN_DATABASE): () => void {
  const file = `${realFile(databaseFile)}.server`;
  const lock = new Sqlite(file, { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (cause) {
    lock.close();
    throw new ConfigFault(`another Throughline server${holderOf(file)} is using ${databaseFile}; stop it, or ${advice}`, { cause });
  }
  writeFileSync(`${file}.pid`, `${process.pid}\n`);
  return () => lock.close();
}

/** One file has one lock, by whatever links it is reached. A file that is yet to be made is known by its folder. */
function realFile(file: string): string {
  return existsSync(file) ? realpathSync(file) : path.join(realpathSync(path.dirname(file)), path.basename(file));
}

function holderOf(file: string): string {
  return existsSync(`${file}.pid`) ? ` (pid ${readFileSync(`${file}.pid`, 'utf8').trim()})` : '';
}
