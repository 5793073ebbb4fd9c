import { type Gap, readGaps } from '../../core/gaps/gaps.js';
import { type LeaseRow, readLeases } from '../../core/leases/leases.js';
import type { Tx } from '../../database/tx.js';
import type { ConnectionInfo } from '../host-view.js';
import { instant, instantOrNull } from '../http/instant.js';
import type { ConnectionDto, SourceDto } from './connection.dto.js';

/** What the replicas say of the connections' sources. */
export interface Standing {
  readonly leases: ReadonlyMap<string, LeaseRow>;
  readonly gaps: readonly Gap[];
}

export async function readStanding(tx: Tx, org: string, connections: readonly ConnectionInfo[]): Promise<Standing> {
  const names = connections.flatMap(({ sources }) => sources.map(({ name }) => name));
  const leases = await readLeases(tx, names);
  return { leases: new Map(leases.map((lease) => [lease.name, lease])), gaps: names.length === 0 ? [] : await readGaps(tx, [org]) };
}

export function toConnection(
  { name, org, plugin, source, secrets, takesWebhooks, sources }: ConnectionInfo,
  standing: Standing,
): ConnectionDto {
  const gap = standing.gaps.find((each) => each.source === name);
  return {
    ...{ name, org, plugin, source, secrets },
    endpoint: takesWebhooks ? `/v1/events/${org}/${name}` : null,
    sources: sources.map((each) => toSource(each, standing.leases.get(each.name))),
    gap: gap ? { since: instant(gap.since), tries: gap.tries, failure: gap.failure } : null,
  };
}

function toSource({ kind }: ConnectionInfo['sources'][number], lease: LeaseRow | undefined): SourceDto {
  // Whoever is no longer heard of cannot say that it is connected.
  if (lease === undefined || lease.replica === null) return { kind, state: 'idle', detail: null, replica: null, since: null };
  const { state, detail, replica, changed_at: changedAt } = lease;
  return { kind, state: state ?? 'connecting', detail, replica, since: instantOrNull(changedAt) };
}
