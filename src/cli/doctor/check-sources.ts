import { sourceName } from '../../compose/source-specs.js';
import type { Config, ConnectionConfig } from '../../config/config.js';
import { readGaps } from '../../core/gaps/gaps.js';
import { type LeaseRow, readLeases } from '../../core/leases/leases.js';
import type { Database } from '../../database/database.js';
import { type Finding, fault, ok, type Section, warning } from './finding.js';

const KINDS = ['stream', 'poll', 'backfill'] as const;

/** What the running replicas say of the streams, pollers and histories that they keep up. Without any there is no section. */
export async function checkSources({ connections, orgs }: Config, database: Database): Promise<Section[]> {
  const names = connections.flatMap((connection) => KINDS.map((kind) => sourceName(kind, connection)));
  const { leases, gaps } = await database.transaction(async (tx) => ({
    leases: await readLeases(tx, names),
    gaps: await readGaps(tx, orgs),
  }));
  const findings = [
    ...leases.map((lease) => standing(lease, connections)),
    ...gaps
      .filter(({ failure }) => failure !== null)
      .map(({ source, since, failure }) =>
        warning(
          `Gap of ${source}`,
          `events since ${new Date(since).toISOString()} may be missing: ${failure}`,
          'It is asked for again by itself; mend what the provider complains of.',
        ),
      ),
  ];
  return findings.length === 0 ? [] : [{ title: 'Sources', findings }];
}

function standing({ name, replica, state, detail }: LeaseRow, connections: readonly ConnectionConfig[]): Finding {
  const connection = connections.find((each) => KINDS.some((kind) => sourceName(kind, each) === name))?.name ?? '';
  if (replica === null) return ok(name, 'no running server has it');
  if (state === 'misconfigured')
    return fault(name, detail ?? 'misconfigured', `Mend it, then restart the server, or POST /v1/connections/${connection}/restart.`);
  if (state === 'retrying') return warning(name, `failed, and is tried again by ${replica}: ${detail}`, 'Nothing, unless it lasts.');
  return ok(name, `${state ?? 'connecting'}, on ${replica}`);
}
