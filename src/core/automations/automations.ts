import { first, type Tx } from '../../database/tx.js';
import { insertAudit } from '../audit/audits.js';
import { quoted } from '../machine.js';
import { type AutomationSpec, type AutomationState, automation, workspaceOf } from './automation.js';

/** An automation as it is stored. */
export interface Automation {
  readonly id: string;
  readonly org: string;
  readonly name: string;
  /** Those of the configuration are changed there alone. */
  readonly origin: 'config' | 'api';
  readonly state: AutomationState;
  readonly version: number;
  readonly generation: number;
  readonly spec: AutomationSpec;
  /** What its agents are, as they were when it was last written; null: its runtime was not there. */
  readonly agent: string | null;
  /** Who made it. */
  readonly owner: string;
  /** Runs in a row that failed for good. */
  readonly failures: number;
  readonly disabled: Disabling | null;
  readonly disabledAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deletedAt: number | null;
}

/** Why it is off: a code, and what there is to say about it. */
export interface Disabling {
  readonly reason: string;
  readonly detail: string | null;
}

interface Row {
  readonly id: string;
  readonly org: string;
  readonly name: string;
  readonly origin: 'config' | 'api';
  readonly state: AutomationState;
  readonly version: number;
  readonly generation: number;
  readonly spec: string;
  readonly agent: string | null;
  readonly owner: string;
  readonly failures: number;
  readonly disabled_reason: string | null;
  readonly disabled_detail: string | null;
  readonly disabled_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly deleted_at: number | null;
}

const SELECT = `select id, org, name, origin, state, version, generation, spec, agent, owner, failures, disabled_reason, disabled_detail,
  disabled_at, created_at, updated_at, deleted_at from automations`;

export const AUTOMATIONS = { select: SELECT, view: (row: Row) => toAutomation(row) } as const;
export type AutomationRow = Row;

function toAutomation(row: Row): Automation {
  const { disabled_reason: reason, disabled_detail: detail } = row;
  return {
    ...{ id: row.id, org: row.org, name: row.name, origin: row.origin, state: row.state, owner: row.owner, failures: row.failures },
    ...{ version: row.version, generation: row.generation, agent: row.agent, spec: JSON.parse(row.spec) as AutomationSpec },
    disabled: reason === null ? null : { reason, detail },
    ...{ disabledAt: row.disabled_at, createdAt: row.created_at, updatedAt: row.updated_at, deletedAt: row.deleted_at },
  };
}

async function one(tx: Tx, condition: string, ...values: readonly string[]): Promise<Automation | null> {
  const row = await first<Row>(tx, `${SELECT} where ${condition}`, values);
  return row === null ? null : toAutomation(row);
}

async function several(tx: Tx, condition: string, ...values: readonly string[]): Promise<Automation[]> {
  return (await tx.all<Row>(`${SELECT} where ${condition} order by id`, values)).map(toAutomation);
}

/** Null: there is none, or it was deleted. */
export function findAutomation(tx: Tx, id: string): Promise<Automation | null> {
  return one(tx, 'id = ? and deleted_at is null', id);
}

/** Also one that was deleted: what it has done is still there. */
export function findAutomationEver(tx: Tx, id: string): Promise<Automation | null> {
  return one(tx, 'id = ?', id);
}

export function findAutomationNamed(tx: Tx, org: string, name: string): Promise<Automation | null> {
  return one(tx, 'org = ? and name = ? and deleted_at is null', org, name);
}

/** Nobody changes it until the transaction ends. It is locked last of all, after runs and sandboxes. */
export function lockAutomation(tx: Tx, id: string): Promise<Automation | null> {
  return one(tx, `id = ? and deleted_at is null${tx.dialect.forUpdate}`, id);
}

/** Those whose triggers start runs, of every organisation, in the order of their ids. */
export function enabledAutomations(tx: Tx): Promise<Automation[]> {
  return several(tx, "state = 'enabled' and deleted_at is null");
}

/** Those that the configuration has made, also those that it does not have any more. */
export function configuredAutomations(tx: Tx): Promise<Automation[]> {
  return several(tx, "origin = 'config' and deleted_at is null");
}

/** Those that were made through the API. */
export function madeAutomations(tx: Tx): Promise<Automation[]> {
  return several(tx, "origin = 'api' and deleted_at is null");
}

/** Differs from what it was before whenever any automation has changed. */
export async function automationsMark(tx: Tx): Promise<string> {
  const row = await first<{ mark: string }>(
    tx,
    `select count(*) || '/' || coalesce(sum(version), 0) || '/' || count(case when state = 'enabled' then 1 end) || '/'
       || coalesce(max(updated_at), 0) as mark from automations`,
  );
  return row?.mark ?? '';
}

export interface NewAutomation {
  readonly id: string;
  readonly org: string;
  readonly origin: 'config' | 'api';
  readonly state: AutomationState;
  readonly spec: AutomationSpec;
  readonly agent: string | null;
  readonly owner: string;
  /** Given where it begins disabled. */
  readonly disabled: Disabling | null;
}

/** False: there is one of this name, or this very one, already. */
export async function insertAutomation(tx: Tx, made: NewAutomation): Promise<boolean> {
  const { id, org, origin, state, spec, agent, owner, disabled } = made;
  const { now } = tx.dialect;
  const text = JSON.stringify(spec);
  const count = await tx.run(
    `insert into automations (id, org, name, origin, state, version, spec, agent, owner, disabled_reason, disabled_detail, disabled_at, created_at, updated_at)
     values (?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ${disabled === null ? 'null' : now}, ${now}, ${now}) on conflict do nothing`,
    [id, org, spec.name, origin, state, text, agent, owner, disabled?.reason ?? null, disabled?.detail ?? null],
  );
  if (count === 1) await insertVersion(tx, { automation: id, version: 1, generation: 1, text, by: owner });
  return count === 1;
}

export interface Change {
  readonly spec: AutomationSpec;
  readonly agent: string | null;
  readonly generation: number;
  readonly by: string;
}

/** The next version of an automation as it was read; false: it has changed since. */
export async function updateAutomation(tx: Tx, { id, version }: Automation, change: Change): Promise<boolean> {
  const { spec, agent, generation, by } = change;
  const text = JSON.stringify(spec);
  const count = await tx.run(
    `update automations set name = ?, spec = ?, agent = ?, generation = ?, version = version + 1, updated_at = ${tx.dialect.now}
      where id = ? and version = ? and deleted_at is null`,
    [spec.name, text, agent, generation, id, version],
  );
  if (count === 1) await insertVersion(tx, { automation: id, version: version + 1, generation, text, by });
  return count === 1;
}

/** What its agents are by now, where it could not be said before. */
export async function saveAgent(tx: Tx, id: string, agent: string): Promise<void> {
  await tx.run('update automations set agent = ? where id = ?', [agent, id]);
}

interface NewVersion {
  readonly automation: string;
  readonly version: number;
  readonly generation: number;
  readonly text: string;
  readonly by: string;
}

async function insertVersion(tx: Tx, { automation: id, version, generation, text, by }: NewVersion): Promise<void> {
  await tx.run(
    `insert into automation_versions (automation, version, generation, spec, made_by, made_at) values (?, ?, ?, ?, ?, ${tx.dialect.now})`,
    [id, version, generation, text, by],
  );
}

/** The automation as it was in that version; null: there was none. */
export async function specOfVersion(tx: Tx, id: string, version: number): Promise<AutomationSpec | null> {
  const row = await first<{ spec: string }>(tx, 'select spec from automation_versions where automation = ? and version = ?', [id, version]);
  return row === null ? null : (JSON.parse(row.spec) as AutomationSpec);
}

/** Its triggers start it from now on, and its failures are counted anew; false: it was on, or is no more. */
export async function enableAutomation(tx: Tx, id: string): Promise<boolean> {
  return step(tx, id, 'enable', 'disabled_reason = null, disabled_detail = null, disabled_at = null, failures = 0');
}

/** False: it was a draft, or is no more. */
export async function draftAutomation(tx: Tx, id: string): Promise<boolean> {
  return step(tx, id, 'draft', 'disabled_reason = null, disabled_detail = null, disabled_at = null, failures = 0');
}

/** False: it was off, or is no more. */
export async function switchOff(tx: Tx, id: string, { reason, detail }: Disabling): Promise<boolean> {
  return step(tx, id, 'disable', `disabled_reason = ?, disabled_detail = ?, disabled_at = ${tx.dialect.now}`, reason, detail);
}

/** As `switchOff`, for what nobody asked for through the API: with its line in the audit log. */
export async function disableAutomation(tx: Tx, id: string, disabling: Disabling, by: string): Promise<boolean> {
  if (!(await switchOff(tx, id, disabling))) return false;
  const org = (await findAutomationEver(tx, id))?.org ?? '';
  const detail = JSON.stringify({ result: 'done', reason: disabling.reason, detail: disabling.detail });
  await insertAudit(tx, { org, actor: by, action: 'automation.disable', target: id, detail });
  return true;
}

async function step(
  tx: Tx,
  id: string,
  event: 'enable' | 'disable' | 'draft',
  also: string,
  ...values: readonly (string | null)[]
): Promise<boolean> {
  const count = await tx.run(
    `update automations set state = '${automation.target(event)}', ${also}, updated_at = ${tx.dialect.now}
      where id = ? and deleted_at is null and state in (${quoted(automation.sources(event))})`,
    [...values, id],
  );
  return count === 1;
}

/** False: it was deleted before. Its name is free, its versions and runs stay. */
export async function deleteAutomation(tx: Tx, id: string): Promise<boolean> {
  const count = await tx.run(
    `update automations set deleted_at = ${tx.dialect.now}, updated_at = ${tx.dialect.now}, state = 'disabled',
        disabled_reason = 'deleted', disabled_detail = null, disabled_at = ${tx.dialect.now}
      where id = ? and deleted_at is null`,
    [id],
  );
  return count === 1;
}

/** How many runs in a row have failed for good by now, this one included. */
export async function countFailure(tx: Tx, id: string): Promise<number> {
  const row = await first<{ failures: number }>(tx, 'update automations set failures = failures + 1 where id = ? returning failures', [id]);
  return row?.failures ?? 0;
}

export async function clearFailures(tx: Tx, id: string): Promise<void> {
  await tx.run('update automations set failures = 0 where id = ? and failures > 0', [id]);
}

/** An automation as accept needs it: what it is at the moment. */
export interface AutomationNow {
  readonly id: string;
  readonly state: AutomationState;
  readonly version: number;
  readonly generation: number;
  readonly workspace: string;
  readonly concurrency: AutomationSpec['concurrency'];
}

/** Those of them that were not deleted. */
export async function currentAutomations(tx: Tx, ids: readonly string[]): Promise<AutomationNow[]> {
  if (ids.length === 0) return [];
  const rows = await tx.all<Pick<Row, 'id' | 'state' | 'version' | 'generation' | 'spec' | 'deleted_at'>>(
    `select id, state, version, generation, spec, deleted_at from automations where id ${tx.dialect.among('text')}`,
    [ids],
  );
  return rows.flatMap(({ spec, deleted_at: deletedAt, ...row }) => {
    if (deletedAt !== null) return [];
    const { concurrency, ...place } = JSON.parse(spec) as AutomationSpec;
    return { ...row, concurrency, workspace: workspaceOf(place) };
  });
}

/** Nobody else decides about runs of these automations until the transaction ends. The queues of the conversations are locked already. */
export async function lockAutomations(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.all(`select id from automations where id ${tx.dialect.among('text')} order by id${tx.dialect.forUpdate}`, [[...ids].sort()]);
}
