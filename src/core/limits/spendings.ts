import { inTerms, type Tx } from '../../database/tx.js';

export interface Spending {
  readonly org: string;
  readonly workspace: string;
  /** The date in the workspace's zone. */
  readonly day: string;
  readonly usd: number;
}

/** What these workspaces have cost on these days. */
export async function readSpendings(tx: Tx, of: readonly Omit<Spending, 'usd'>[]): Promise<Spending[]> {
  const found: Spending[] = [];
  for (const part of inTerms(of)) {
    const each = part.map(() => '(org = ? and workspace = ? and day = ?)').join(' or ');
    const values = part.flatMap(({ org, workspace, day }) => [org, workspace, day]);
    found.push(...(await tx.all<Spending>(`select org, workspace, day, usd from spendings where ${each}`, values)));
  }
  return found;
}

/** Adds what turns have cost, always in one order of the rows, which all conversations of a workspace share. */
export async function book(tx: Tx, spendings: readonly Spending[]): Promise<void> {
  const sums = new Map<string, number>();
  for (const { org, workspace, day, usd } of spendings) {
    const key = JSON.stringify([org, workspace, day]);
    if (usd > 0) sums.set(key, (sums.get(key) ?? 0) + usd);
  }
  for (const [key, usd] of [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    await tx.run(
      `insert into spendings (org, workspace, day, usd) values (?, ?, ?, ?)
         on conflict (org, workspace, day) do update set usd = spendings.usd + excluded.usd`,
      [...(JSON.parse(key) as string[]), usd],
    );
}
