import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { ConfigFault } from '../plugin/errors.js';

/**
 * Makes this process the one server of a SQLite file. The operating system gives the lock back however the holder dies,
 * so none is ever stale. Commands may go on writing to the database file itself beside the server.
 */
export function lockForServer(databaseFile: string): () => void {
  const file = `${databaseFile}.server`;
  const lock = new Sqlite(file, { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (cause) {
    lock.close();
    throw new ConfigFault(
      `another Throughline server${holderOf(file)} is using ${databaseFile}; stop it, or give this one its own database.url (replicas need PostgreSQL)`,
      { cause },
    );
  }
  writeFileSync(`${file}.pid`, `${process.pid}\n`);
  return () => lock.close();
}

function holderOf(file: string): string {
  return existsSync(`${file}.pid`) ? ` (pid ${readFileSync(`${file}.pid`, 'utf8').trim()})` : '';
}
