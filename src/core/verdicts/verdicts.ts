import { first, type Tx } from '../../database/tx.js';
import type { Verdict } from '../../plugin/index.js';

/** Who may have a word about a delivery before its turn. */
export type Party = 'trusted' | 'preparer';

export interface VerdictKey {
  readonly conversation: string;
  readonly sequence: number;
  readonly party: Party;
}

/** Keeps a verdict with the token of the claim that it was made under; a preparer's later one replaces its earlier one. */
export async function saveVerdict(tx: Tx, { conversation, sequence, party }: VerdictKey, token: number, verdict: Verdict): Promise<void> {
  await tx.run(
    `insert into verdicts (conversation, sequence, party, token, verdict, decided_at) values (?, ?, ?, ?, ?, ${tx.dialect.now})
     on conflict (conversation, sequence, party) do update set token = excluded.token, verdict = excluded.verdict, decided_at = excluded.decided_at`,
    [conversation, sequence, party, token, JSON.stringify(verdict)],
  );
}

export async function readVerdict(tx: Tx, { conversation, sequence, party }: VerdictKey): Promise<Verdict | null> {
  const row = await first<{ verdict: string }>(tx, 'select verdict from verdicts where conversation = ? and sequence = ? and party = ?', [
    ...[conversation, sequence, party],
  ]);
  return row && (JSON.parse(row.verdict) as Verdict);
}

/** The verdict that made a message a lifecycle delivery, if one did: the latest of the two parties'. */
export async function lifecycleVerdict(tx: Tx, conversation: string, sequence: number): Promise<Verdict | null> {
  const row = await first<{ verdict: string }>(
    tx,
    'select verdict from verdicts where conversation = ? and sequence = ? order by decided_at desc, token desc limit 1',
    [conversation, sequence],
  );
  return row && (JSON.parse(row.verdict) as Verdict);
}
