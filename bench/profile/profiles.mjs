// The product under Node's profiler, with the load of the throughput scenario. Its figures are not used: the profiler takes its part.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolder, removeFolder } from '../folders.mjs';
import { runLoad } from '../measure/run-load.mjs';
import { Progress } from '../report/progress.mjs';
import { withDatabase, withSystem } from '../scenarios/running.mjs';
import { fresh } from '../sizes.mjs';
import { startThroughline } from '../systems/throughline.mjs';
import { selfTimes } from './cpu-profile.mjs';

const STATEMENTS = 20;

export async function profiles({ kinds, size }, onProfile) {
  const found = [];
  for (const database of kinds)
    for (const coalesce of [20, 1]) {
      found.push({ database, coalesce, ...(await profileOf(database, coalesce, size)) });
      onProfile(found.at(-1));
    }
  return found;
}

async function profileOf(kind, coalesce, size) {
  const folder = makeFolder();
  const progress = new Progress(`profile on ${kind}`);
  progress.begin(`coalesce ${coalesce}`);
  try {
    const figures = await withDatabase(kind, (database) =>
      withSystem(startThroughline({ database, coalesce, profile: folder }), async (system) => {
        await runLoad(system, fresh(size.warmUp));
        return (await runLoad(system, fresh(size.load))).figures;
      }),
    );
    progress.end(figures);
    const read = (file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
    const profile = readdirSync(folder).find((name) => name.endsWith('.cpuprofile'));
    const deliveries = size.warmUp.deliveries + size.load.deliveries;
    const statements = read('statements.json').slice(0, STATEMENTS);
    return {
      ...selfTimes(read(profile), figures.window),
      statements: statements.map((each) => ({ ...each, perDelivery: each.count / deliveries })),
    };
  } finally {
    removeFolder(folder);
  }
}
