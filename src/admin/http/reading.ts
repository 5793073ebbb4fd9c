import { StoreUnavailable } from '../../core/admission/store-unavailable.js';
import type { Database } from '../../database/database.js';
import type { Tx } from '../../database/tx.js';
import { InvalidInput } from '../../plugin/index.js';

/** A transaction for the API: a database that is not there, or refuses a value, is told as such, and not as a fault of ours. */
export async function reading<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await database.transaction(work);
  } catch (error) {
    throw asRefusal(database, error);
  }
}

export function asRefusal(database: Database, error: unknown): unknown {
  const fault = database.dialect.fault(error);
  if (fault === 'invalid')
    return new InvalidInput('The database does not take a value that was sent; look for what is too big for its field.', [], {
      cause: error,
    });
  if (fault !== 'unavailable' && fault !== 'retry') return error;
  return new StoreUnavailable('The database cannot be reached at the moment; ask again later.', 5, { cause: error });
}
