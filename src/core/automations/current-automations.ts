import type { Tx } from '../../database/tx.js';
import { type AutomationSpec, type AutomationState, workspaceOf } from './automation.js';

/** An automation as accept needs it: what it is at the moment. */
export interface AutomationNow {
  readonly id: string;
  readonly state: AutomationState;
  readonly version: number;
  readonly generation: number;
  readonly workspace: string;
  readonly concurrency: AutomationSpec['concurrency'];
}

interface Row extends Pick<AutomationNow, 'id' | 'state' | 'version' | 'generation'> {
  readonly spec: string;
}

/** Those of them that were not deleted. */
export async function currentAutomations(tx: Tx, ids: readonly string[]): Promise<AutomationNow[]> {
  if (ids.length === 0) return [];
  const rows = await tx.all<Row>(
    `select id, state, version, generation, spec from automations where id ${tx.dialect.among('text')} and deleted_at is null`,
    [ids],
  );
  return rows.map(({ spec, ...row }) => {
    const { concurrency, ...place } = JSON.parse(spec) as AutomationSpec;
    return { ...row, concurrency, workspace: workspaceOf(place) };
  });
}

/** Nobody else decides about runs of these automations until the transaction ends. The queues of the conversations are locked already. */
export async function lockAutomations(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.all(`select id from automations where id ${tx.dialect.among('text')} order by id${tx.dialect.forUpdate}`, [[...ids].sort()]);
}
