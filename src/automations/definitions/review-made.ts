import { type Automation, madeAutomations } from '../../core/automations/automations.js';
import { agentOf, type Surroundings } from '../../core/automations/surroundings.js';
import type { Tx } from '../../database/tx.js';
import { edit } from './sync-automations.js';

export interface Reviewed {
  /** Those whose agents are others by now. */
  readonly changed: number;
  /** Those whose runs will fail, since the configuration has no such runtime or workspace. */
  readonly homeless: readonly Automation[];
}

/** What a changed configuration means to automations that were made through the API: their runtimes may be others now, or gone. */
export async function reviewMade(tx: Tx, aroundOf: (org: string) => Surroundings): Promise<Reviewed> {
  const homeless: Automation[] = [];
  let changed = 0;
  for (const automation of await madeAutomations(tx)) {
    const agent = agentOf(automation.spec, aroundOf(automation.org));
    if (agent === null && automation.state === 'enabled') homeless.push(automation);
    changed += Number(await edit(tx, automation, { spec: automation.spec, agent }));
  }
  return { changed, homeless };
}
