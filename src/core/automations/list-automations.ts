import { first, type Tx } from '../../database/tx.js';
import { type Found, findSlice, type Slice, Where } from '../listing.js';
import type { AutomationSpec } from './automation.js';
import { AUTOMATIONS, type Automation, type AutomationRow } from './automations.js';

export type AutomationPosition = readonly [createdAt: number, id: string];

export interface AutomationFilter {
  readonly state?: string | undefined;
  readonly origin?: string | undefined;
  readonly name?: string | undefined;
}

/** Those of the organisation that were not deleted, newest first. */
export async function listAutomations(
  tx: Tx,
  org: string,
  { state, origin, name }: AutomationFilter,
  slice: Slice<AutomationPosition>,
): Promise<Found<Automation, AutomationPosition>> {
  const where = new Where().and('org = ?', org).and('deleted_at is null');
  where.filter('state = ?', state).filter('origin = ?', origin).filter('name = ?', name);
  if (slice.after) where.and('(created_at, id) < (?, ?)', ...slice.after);
  const query = { select: AUTOMATIONS.select, where, order: 'created_at desc, id desc' };
  const found = await findSlice(tx, query, slice, (row: AutomationRow) => [row.created_at, row.id] as const);
  return { rows: found.rows.map(AUTOMATIONS.view), next: found.next };
}

/** What an automation once was. */
export interface AutomationVersion {
  readonly version: number;
  readonly generation: number;
  readonly spec: AutomationSpec;
  readonly madeBy: string;
  readonly madeAt: number;
}

interface VersionRow {
  readonly version: number;
  readonly generation: number;
  readonly spec: string;
  readonly made_by: string;
  readonly made_at: number;
}

export type VersionPosition = readonly [version: number];

const VERSIONS = 'select version, generation, spec, made_by, made_at from automation_versions';

/** Newest first. */
export async function listVersions(
  tx: Tx,
  automation: string,
  slice: Slice<VersionPosition>,
): Promise<Found<AutomationVersion, VersionPosition>> {
  const where = new Where().and('automation = ?', automation);
  if (slice.after) where.and('version < ?', ...slice.after);
  const found = await findSlice(
    tx,
    { select: VERSIONS, where, order: 'version desc' },
    slice,
    (row: VersionRow): VersionPosition => [row.version],
  );
  return { rows: found.rows.map(toVersion), next: found.next };
}

function toVersion({ version, generation, spec, made_by, made_at }: VersionRow): AutomationVersion {
  return { version, generation, spec: JSON.parse(spec) as AutomationSpec, madeBy: made_by, madeAt: made_at };
}

export async function findVersion(tx: Tx, automation: string, version: number): Promise<AutomationVersion | null> {
  const row = await first<VersionRow>(tx, `${VERSIONS} where automation = ? and version = ?`, [automation, version]);
  return row === null ? null : toVersion(row);
}

/** What it has been since its conversations are what they are. */
export async function specsOfGeneration(tx: Tx, automation: string, generation: number): Promise<AutomationSpec[]> {
  const rows = await tx.all<{ spec: string }>(
    'select spec from automation_versions where automation = ? and generation = ? order by version',
    [automation, generation],
  );
  return rows.map(({ spec }) => JSON.parse(spec) as AutomationSpec);
}
