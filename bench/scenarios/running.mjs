// A system that runs on a database of its own for as long as some work takes.
import { createDatabase } from '../databases/databases.mjs';
import { runLoad } from '../measure/run-load.mjs';
import { fresh } from '../sizes.mjs';

export async function withDatabase(kind, work) {
  const database = await createDatabase(kind);
  try {
    return await work(database);
  } finally {
    await database.drop();
  }
}

export async function withSystem(starting, work) {
  const system = await starting;
  try {
    return await work(system);
  } finally {
    await system.stop();
  }
}

/** Starts it on a new database, warms it up, and posts the load. */
export function measured(kind, start, size, options) {
  return withDatabase(kind, (database) =>
    withSystem(start(database), async (system) => {
      await runLoad(system, fresh(size.warmUp), options);
      return (await runLoad(system, fresh(size.load), options)).figures;
    }),
  );
}
