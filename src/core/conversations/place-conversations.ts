import { marks, type Tx } from '../../database/tx.js';
import { lockQueues } from '../deliveries/queues.js';

export interface Placement {
  readonly org: string;
  readonly route: string;
  readonly workspace: string;
  /** Only those that are here; left out: wherever they are. */
  readonly from?: string;
}

const BATCH = 500;

/** What its provider has moved stays there, whatever the route that placed it names. The caller holds the lock of its queue. */
export async function moveConversation(tx: Tx, id: string, workspace: string): Promise<void> {
  await tx.run('update queues set workspace = ? where conversation = ?', [workspace, id]);
  await tx.run(`update conversations set workspace = ?, moved = 1, updated_at = ${tx.dialect.now} where id = ?`, [workspace, id]);
}

/** The placements that differ from where conversations of these routes are now, found in one look at them all. */
export async function changedPlacements(tx: Tx, placements: readonly Placement[]): Promise<Placement[]> {
  const stored = await tx.all<Placement>('select distinct org, route, workspace from conversations where route is not null and moved = 0');
  return placements.filter(({ org, route, workspace }) =>
    stored.some((s) => s.org === org && s.route === route && s.workspace !== workspace),
  );
}

/**
 * Moves conversations that a route placed to the workspace that it names now; their ids and sessions stay. What another route said
 * about them moves nothing. Takes some at a time; resolves to how many, and is to be called again until there are none.
 */
export async function placeConversations(tx: Tx, { org, route, workspace, from }: Placement): Promise<number> {
  const rows = await tx.all<{ id: string }>(
    `select id from conversations
      where org = ? and route = ? and workspace <> ? ${from === undefined ? '' : 'and workspace = ?'} and moved = 0 order by id limit ?`,
    [org, route, workspace, ...(from === undefined ? [] : [from]), BATCH],
  );
  const ids = [
    ...(
      await lockQueues(
        tx,
        rows.map(({ id }) => id),
      )
    ).keys(),
  ];
  if (ids.length === 0) return 0;
  await tx.run(`update queues set workspace = ? where conversation in (${marks(ids.length)})`, [workspace, ...ids]);
  return tx.run(`update conversations set workspace = ?, updated_at = ${tx.dialect.now} where id in (${marks(ids.length)})`, [
    workspace,
    ...ids,
  ]);
}
