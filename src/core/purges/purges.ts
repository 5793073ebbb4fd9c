import { first, inChunks, marks, type Tx } from '../../database/tx.js';

/** A conversation whose words are to go, up to what it had when that was asked for. */
export interface Purge {
  readonly conversation: string;
  readonly org: string;
  /** The folder that it had; a later turn has another one. */
  readonly folder: string;
  readonly up_to_sequence: number;
  readonly up_to_token: number;
}

export async function findPurge(tx: Tx, conversation: string): Promise<Purge | null> {
  return first(tx, 'select conversation, org, folder, up_to_sequence, up_to_token from purges where conversation = ?', [conversation]);
}

export async function unfinishedPurges(tx: Tx): Promise<Purge[]> {
  return tx.all('select conversation, org, folder, up_to_sequence, up_to_token from purges order by conversation');
}

export async function insertPurge(tx: Tx, purge: Purge, by: string): Promise<void> {
  await tx.run(
    `insert into purges (conversation, org, folder, up_to_sequence, up_to_token, asked_by, asked_at) values (?, ?, ?, ?, ?, ?, ${tx.dialect.now})`,
    [purge.conversation, purge.org, purge.folder, purge.up_to_sequence, purge.up_to_token, by],
  );
}

export async function deletePurge(tx: Tx, conversation: string): Promise<void> {
  await tx.run('delete from purges where conversation = ?', [conversation]);
}

/** Takes what people read off the conversation, and gives it a folder that was never used. Resolves to the folder that it had. */
export async function clearConversation(tx: Tx, id: string, folder: string): Promise<string> {
  const row = await first<{ folder: string }>(tx, 'select folder from conversations where id = ?', [id]);
  await tx.run(
    `update conversations set title = null, url = null, session = null, folder = ?, purged_at = ${tx.dialect.now}, updated_at = ${tx.dialect.now} where id = ?`,
    [folder, id],
  );
  return row?.folder ?? id;
}

/** Receipts whose words the conversation was given, or that were decided about it; of one conversation alone or of several. */
const RECEIPTS = `select receipt from deliveries where conversation = ? and sequence <= ?
  union select receipt from notes where conversation = ? and receipt is not null`;

/** Another conversation that still needs the words of a receipt of this one. */
export async function whoNeeds(tx: Tx, { conversation, up_to_sequence: to }: Purge): Promise<string | null> {
  const row = await first<{ conversation: string }>(
    tx,
    `select conversation from deliveries where state <> 'completed' and conversation <> ? and receipt in (${RECEIPTS}) limit 1`,
    [conversation, conversation, to, conversation],
  );
  return row?.conversation ?? null;
}

export interface WordyReceipt {
  readonly id: number;
  readonly parsed: string;
}

/** The next of its receipts that hold words which no delivery needs any more. */
export async function wordyReceipts(tx: Tx, { conversation, up_to_sequence: to }: Purge, limit: number): Promise<WordyReceipt[]> {
  return tx.all(
    `select id, parsed from receipts where purged_at is null and id in (${RECEIPTS})
       and not exists (select 1 from deliveries d where d.receipt = receipts.id and d.state <> 'completed') order by id limit ?`,
    [conversation, to, conversation, limit],
  );
}

/** Takes the words off receipts, the decisions about them and their deliveries. Ids, hashes and what was decided stay. */
export async function clearReceipts(tx: Tx, receipts: readonly WordyReceipt[]): Promise<void> {
  for (const { id, parsed } of receipts)
    await tx.run(`update receipts set parsed = ?, payload = null, purged_at = ${tx.dialect.now} where id = ?`, [parsed, id]);
  for (const part of inChunks(receipts, 1))
    await tx.run(
      `update deliveries set text = null, failure = null, reason = null where receipt in (${marks(part.length)})`,
      part.map(({ id }) => id),
    );
}

export interface DecisionWords {
  readonly receipt: number;
  readonly number: number;
  readonly detail: string;
}

export async function decisionsAbout(tx: Tx, receipts: readonly number[]): Promise<DecisionWords[]> {
  if (receipts.length === 0) return [];
  return tx.all(`select receipt, number, detail from decisions where receipt in (${marks(receipts.length)})`, receipts);
}

export async function saveDecision(tx: Tx, { receipt, number, detail }: DecisionWords): Promise<void> {
  await tx.run('update decisions set detail = ? where receipt = ? and number = ?', [detail, receipt, number]);
}

/** Takes some of what was said in the conversation's turns; how much that was. */
export async function clearTranscripts(tx: Tx, { conversation, up_to_token: to }: Purge, limit: number): Promise<number> {
  return tx.run(
    `delete from transcripts where conversation = ? and (token, number) in
       (select token, number from transcripts where conversation = ? and token <= ? order by token, number limit ?)`,
    [conversation, conversation, to, limit],
  );
}

/** Takes what turns came to, what providers and clean-ups said, and what the API answered about the conversation under a key. */
export async function clearResults(tx: Tx, { conversation, org, up_to_sequence: last, up_to_token: to }: Purge): Promise<void> {
  await tx.run(
    'update turns set result = null, error = null, detail = null, session = null where conversation = ? and token <= ? and ended_at is not null',
    [conversation, to],
  );
  await tx.run('delete from verdicts where conversation = ? and sequence <= ?', [conversation, last]);
  // The thread itself is found again by its channel, by the mark that it carries.
  await tx.run('delete from errands where conversation = ? and owner is null', [conversation]);
  await tx.run('delete from control_bindings where conversation = ?', [conversation]);
  await tx.run('update jobs set result = null, failure = null where conversation = ? and ended_at is not null', [conversation]);
  await tx.run(`update idempotency_keys set response = '{"purged":true}' where org = ? and status is not null and response like ?`, [
    org,
    `%${conversation}%`,
  ]);
}
