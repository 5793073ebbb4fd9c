import type { Tx } from '../../database/tx.js';

export interface Placement {
  readonly org: string;
  readonly route: string;
  readonly workspace: string;
}

/**
 * Moves the conversations that a route placed to the workspace that it names now; their ids and sessions stay.
 * How many conversations moved. What another route said about them moves nothing.
 */
export async function placeConversations(tx: Tx, placements: readonly Placement[]): Promise<number> {
  let moved = 0;
  for (const { org, route, workspace } of placements) {
    const elsewhere = 'select id from conversations where org = ? and route = ? and workspace <> ?';
    await tx.run(`update queues set workspace = ? where conversation in (${elsewhere})`, [workspace, org, route, workspace]);
    moved += await tx.run(`update conversations set workspace = ?, updated_at = ${tx.dialect.now} where id in (${elsewhere})`, [
      workspace,
      org,
      route,
      workspace,
    ]);
  }
  return moved;
}
