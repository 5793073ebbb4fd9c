import { first, marks, type Tx } from '../../database/tx.js';

/** A time in which events of a source may have been missed: since then its provider is still to be asked. */
export interface Gap {
  readonly org: string;
  readonly source: string;
  readonly since: number;
  readonly tries: number;
  readonly failure: string | null;
  /** How often it was noted: once more while its provider is being asked, and it stays. */
  readonly notes: number;
  /** How far its provider was asked, in the plugin's own words; null: it has said nothing yet. */
  readonly progress: string | null;
}

const COLUMNS = 'org, source, since, tries, failure, notes, progress';

/** So many receipts are looked through in one statement. */
const WINDOW = 20_000;

/** An earlier gap that was not filled reaches further back, and stays. */
export async function openGap(tx: Tx, org: string, source: string, since: number): Promise<void> {
  await tx.run(
    `insert into gaps (org, source, since, opened_at) values (?, ?, ?, ${tx.dialect.now})
     on conflict (org, source) do update set notes = gaps.notes + 1,
       progress = case when excluded.since < gaps.since then null else gaps.progress end,
       since = case when excluded.since < gaps.since then excluded.since else gaps.since end`,
    [org, source, since],
  );
}

export async function readGap(tx: Tx, org: string, source: string): Promise<Gap | null> {
  return first(tx, `select ${COLUMNS} from gaps where org = ? and source = ?`, [org, source]);
}

export async function readGaps(tx: Tx, orgs: readonly string[]): Promise<Gap[]> {
  if (orgs.length === 0) return [];
  return tx.all(`select ${COLUMNS} from gaps where org in (${marks(orgs.length)}) order by org, source`, orgs);
}

export async function failGap(tx: Tx, org: string, source: string, failure: string): Promise<void> {
  await tx.run('update gaps set tries = tries + 1, failure = ? where org = ? and source = ?', [failure, org, source]);
}

export async function saveProgress(tx: Tx, { org, source, since }: Gap, progress: string): Promise<void> {
  await tx.run('update gaps set progress = ? where org = ? and source = ? and since = ?', [progress, org, source, since]);
}

export async function closeGap(tx: Tx, { org, source, notes }: Gap): Promise<void> {
  await tx.run('delete from gaps where org = ? and source = ? and notes = ?', [org, source, notes]);
}

/** Where to look next for the last receipt of a source; `at`: it was found. */
export interface Search {
  readonly below: number | null;
  readonly at: number | null;
}

/** One step, back from the newest receipt: a source that has long been quiet is not looked for in one long statement. */
export async function searchLastReceipt(tx: Tx, org: string, source: string, below: number | null): Promise<Search> {
  const top = below ?? ((await first<{ top: number | null }>(tx, 'select max(id) as top from receipts'))?.top ?? 0) + 1;
  const found = await first<{ at: number }>(
    tx,
    'select received_at as at from receipts where id < ? and id >= ? and org = ? and source = ? order by id desc limit 1',
    [top, top - WINDOW, org, source],
  );
  return { below: top - WINDOW > 0 ? top - WINDOW : null, at: found?.at ?? null };
}
