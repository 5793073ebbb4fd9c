import { first, type Insertion, type Tx } from '../../database/tx.js';
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
  /** 1: its agent may have read what anybody can write. */
  readonly tainted: number;
}

export interface NewConversation extends ConversationRow {
  readonly title: string | null;
  readonly url: string | null;
}

const COLUMNS = 'id, org, namespace, key, scope, scope_name, lifecycle, route, workspace, tainted, state, reason, revision, strength';

export async function readConversations(tx: Tx, ids: readonly string[]): Promise<ConversationRow[]> {
  if (ids.length === 0) return [];
  return tx.all(`select ${COLUMNS} from conversations where id ${tx.dialect.among('uuid')}`, [ids]);
}

/** The ids of all conversations about these subjects, in any scope. */
export async function conversationsAbout(
  tx: Tx,
  subjects: readonly SubjectKey[],
): Promise<{ id: string; org: string; namespace: string; key: string }[]> {
  if (subjects.length === 0) return [];
  const keys = subjects.map(({ org, namespace, key }) => [org, namespace, key]);
  const { sql, values } = tx.dialect.given('g', { org: 'text', namespace: 'text', key: 'text' }, keys);
  return tx.all(
    `select id, org, namespace, key from conversations where (org, namespace, key) in (select org, namespace, key from ${sql})`,
    values,
  );
}

const CONVERSATIONS: Insertion = {
  table: 'conversations',
  columns: {
    ...{ id: 'uuid', org: 'text', namespace: 'text', key: 'text', scope: 'text', scope_name: 'text', lifecycle: 'text', route: 'text' },
    ...{ workspace: 'text', state: 'text', reason: 'text', revision: 'text', strength: 'smallint', title: 'text', url: 'text' },
    ...{ tainted: 'smallint', folder: 'text', terminal_at: 'bigint', created_at: 'bigint', updated_at: 'bigint' },
  },
};

export async function insertConversations(tx: Tx, conversations: readonly NewConversation[], at: number): Promise<void> {
  const rows = conversations.map((c) => [
    ...[c.id, c.org, c.namespace, c.key, c.scope, c.scope_name, c.lifecycle, c.route, c.workspace],
    ...[c.state, c.reason, c.revision, c.strength, c.title, c.url, c.tainted, c.id],
    ...[c.state === 'terminal' ? at : null, at, at],
  ]);
  await tx.insert(CONVERSATIONS, rows);
}

/** Strangers have a say in them from now on, until they are reset. */
export async function taint(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.run(`update conversations set tainted = 1 where id ${tx.dialect.among('uuid')}`, [ids]);
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

/** Those of the conversations that have ended. */
export async function endedAmong(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.all<{ id: string }>(`select id from conversations where id ${tx.dialect.among('uuid')} and state = 'terminal'`, [
    ids,
  ]);
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
  readonly route: string | null;
  readonly cleared_to: number;
  /** 1: what its end left behind is being cleared away at this moment. */
  readonly cleaning: number;
}

export async function conversationsForTurns(tx: Tx, ids: readonly string[]): Promise<TurnConversation[]> {
  if (ids.length === 0) return [];
  return tx.all(
    `select id, org, namespace, key, title, workspace, folder, session, state, reason, revision, route, cleared_to, ending, ending_sequence,
       case when ending > 0 and exists (select 1 from jobs j where j.conversation = c.id and j.state = 'running' and j.owner is not null) then 1 else 0 end as cleaning
     from conversations c where id ${tx.dialect.among('uuid')}`,
    [ids],
  );
}
