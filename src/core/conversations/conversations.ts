import { first, inChunks, inTerms, marks, type Tx, tuples } from '../../database/tx.js';
import type { SubjectKey } from '../subjects/subjects.js';
import type { Ending, Lifetime } from './conversation.js';
import type { ConversationIdentity } from './conversation-id.js';

/** A conversation as deciding about it needs it. */
export interface ConversationRow extends Lifetime {
  readonly id: string;
  readonly state: 'open' | 'terminal';
  readonly org: string;
  readonly namespace: string;
  readonly key: string;
  readonly scope: ConversationIdentity['scope'];
  readonly scope_name: string;
  readonly lifecycle: 'follow' | 'ignore';
  readonly route: string | null;
  readonly workspace: string;
}

export interface NewConversation extends ConversationRow {
  readonly title: string | null;
  readonly url: string | null;
}

const COLUMNS = 'id, org, namespace, key, scope, scope_name, lifecycle, route, workspace, state, reason, revision, strength';

export async function readConversations(tx: Tx, ids: readonly string[]): Promise<ConversationRow[]> {
  const found: ConversationRow[] = [];
  for (const part of inChunks(ids, 1))
    found.push(...(await tx.all<ConversationRow>(`select ${COLUMNS} from conversations where id in (${marks(part.length)})`, part)));
  return found;
}

/** The ids of all conversations about these subjects, in any scope. */
export async function conversationsAbout(
  tx: Tx,
  subjects: readonly SubjectKey[],
): Promise<{ id: string; org: string; namespace: string; key: string }[]> {
  const found: { id: string; org: string; namespace: string; key: string }[] = [];
  for (const part of inTerms(subjects)) {
    const each = part.map(() => '(org = ? and namespace = ? and key = ?)').join(' or ');
    const keys = part.flatMap(({ org, namespace, key }) => [org, namespace, key]);
    found.push(...(await tx.all<(typeof found)[number]>(`select id, org, namespace, key from conversations where ${each}`, keys)));
  }
  return found;
}

export async function insertConversations(tx: Tx, conversations: readonly NewConversation[], at: number): Promise<void> {
  for (const part of inChunks(conversations, 19))
    await tx.run(
      `insert into conversations (${COLUMNS}, title, url, folder, terminal_at, created_at, updated_at) values ${tuples(part.length, 19)}`,
      part.flatMap((c) => [
        ...[c.id, c.org, c.namespace, c.key, c.scope, c.scope_name, c.lifecycle, c.route, c.workspace],
        ...[c.state, c.reason, c.revision, c.strength, c.title, c.url, c.id],
        ...[c.state === 'terminal' ? at : null, at, at],
      ]),
    );
}

/** Writes a changed life. A conversation that ends loses its session in the same statement. */
export async function saveLifetime(tx: Tx, id: string, life: Lifetime, at: number): Promise<void> {
  const ended = life.state === 'terminal';
  await tx.run(
    `update conversations set state = ?, reason = ?, revision = ?, strength = ?, updated_at = ?,
       terminal_at = ${ended ? 'coalesce(terminal_at, ?)' : '?'}, session = case when ? = 1 then null else session end where id = ?`,
    [life.state, life.reason, life.revision, life.strength, at, ended ? at : null, Number(ended), id],
  );
}

/** Counts one more end of a conversation, for which a lifecycle delivery stands, or none; its number. */
export async function countEnding(tx: Tx, id: string, sequence: number | null): Promise<number> {
  const row = await first<{ ending: number }>(
    tx,
    'update conversations set ending = ending + 1, ending_sequence = ? where id = ? returning ending',
    [sequence, id],
  );
  if (row === null) throw new Error(`the conversation ${id} that ended is not there`);
  return row.ending;
}

export async function readEnding(tx: Tx, id: string): Promise<Ending | null> {
  return first(tx, 'select state, ending, ending_sequence from conversations where id = ?', [id]);
}

/** Conversations that ended before ends were counted, and have nothing that cleans up behind them. */
export async function uncountedEndings(tx: Tx, after: string | null, limit: number): Promise<string[]> {
  const rows = await tx.all<{ id: string }>(
    `select id from conversations where state = 'terminal' and ending = 0${after === null ? '' : ' and id > ?'} order by id limit ?`,
    after === null ? [limit] : [after, limit],
  );
  return rows.map(({ id }) => id);
}

/** Keeps what the agent calls its session; an ended conversation takes none. False: it has ended. */
export async function saveSession(tx: Tx, id: string, session: string): Promise<boolean> {
  const changed = await tx.run(`update conversations set session = ?, updated_at = ${tx.dialect.now} where id = ? and state = 'open'`, [
    session,
    id,
  ]);
  return changed === 1;
}

/** What a turn is told about its conversation. */
export interface TurnConversation extends Ending {
  readonly id: string;
  readonly org: string;
  readonly namespace: string;
  readonly key: string;
  readonly title: string | null;
  readonly workspace: string;
  /** Name of its own folder: looked up here, never made of the id again. */
  readonly folder: string;
  readonly session: string | null;
  readonly reason: string | null;
  readonly revision: string | null;
  /** 1: what its end left behind is being cleared away at this moment. */
  readonly cleaning: number;
}

export async function conversationsForTurns(tx: Tx, ids: readonly string[]): Promise<TurnConversation[]> {
  if (ids.length === 0) return [];
  return tx.all(
    `select id, org, namespace, key, title, workspace, folder, session, state, reason, revision, ending, ending_sequence,
       case when ending > 0 and exists (select 1 from jobs j where j.conversation = c.id and j.state = 'running') then 1 else 0 end as cleaning
     from conversations c where id in (${marks(ids.length)})`,
    ids,
  );
}
