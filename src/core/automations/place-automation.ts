import type { Database } from '../../database/database.js';
import { type Placement, placeConversations } from '../conversations/place-conversations.js';
import { routeOfAutomation, workspaceOf } from './automation.js';
import type { Automation } from './automations.js';
import { specsOfGeneration } from './list-automations.js';

/**
 * Takes the conversations of an automation to the workspace that it names now, where that is another one with the same agents; those of
 * generations before stay where their agents are. Resolves to how many; a crash in between is mended by the next start.
 */
export async function placeAutomation(database: Database, { id, org, generation, spec }: Automation): Promise<number> {
  const workspace = workspaceOf(spec);
  const specs = await database.transaction((tx) => specsOfGeneration(tx, id, generation));
  const former = new Set(specs.map(workspaceOf));
  former.delete(workspace);
  let moved = 0;
  for (const from of former) moved += await moveAll(database, { org, route: routeOfAutomation(id), workspace, from });
  return moved;
}

/** A transaction a batch. */
async function moveAll(database: Database, placement: Placement): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await database.transaction((tx) => placeConversations(tx, placement));
    if (count === 0) return total;
    total += count;
  }
}
