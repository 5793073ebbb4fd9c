import type { Database } from '../database/database.js';
import { clock, type Tx } from '../database/tx.js';
import { Conflict, NotFound, type Subject } from '../plugin/index.js';
import { audited } from './audited.js';
import { type ConversationRow, conversationsAbout, readConversations } from './conversations/conversations.js';
import { insertNotes, type Note } from './conversations/notes.js';
import { lockQueues } from './deliveries/queues.js';
import { type AliasRow, aliasesOf, bindAlias, lockSubjects, removeAlias, type SubjectKey, subjectText } from './subjects/subjects.js';

/** Who asks, and which conversation the aliases are of. */
export interface AliasRequest {
  readonly org: string;
  readonly conversation: string;
  readonly by: string;
}

/** Further subjects of a conversation, as operators bind them. Each throws `NotFound`, or `Conflict` saying how things are. */
export class AliasBindings {
  constructor(private readonly database: Database) {}

  /** From the commit on events about the alias are about the conversation's subject, in every scope. */
  bind(request: AliasRequest, alias: Subject): Promise<void> {
    return audited(this.database, async (tx) => {
      const row = await sharedConversation(tx, request);
      const [key, to] = [alias, row].map((subject) => keyOf(request.org, subject)) as [SubjectKey, SubjectKey];
      if (subjectText(key) === subjectText(to)) throw new Conflict('this is the subject of the conversation itself');
      if (await isBound(tx, key, to)) return;
      await assertUnused(tx, key);
      await bindAlias(tx, key, to, request.by);
      await note(tx, request, 'alias', alias);
    });
  }

  /** Events about the alias have conversations of their own again. */
  remove(request: AliasRequest, alias: Subject): Promise<void> {
    return audited(this.database, async (tx) => {
      const row = await sharedConversation(tx, request);
      const key = keyOf(request.org, alias);
      await lockSubjects(tx, [key]);
      if (!(await removeAlias(tx, key, row))) throw new NotFound(`${shown(alias)} is no alias of conversation ${row.id}`);
      await note(tx, request, 'unalias', alias);
    });
  }

  list({ org, conversation }: Omit<AliasRequest, 'by'>): Promise<AliasRow[]> {
    return this.database.transaction(async (tx) => aliasesOf(tx, keyOf(org, await existing(tx, org, conversation))));
  }
}

/** True: it is bound there already. Locks both. */
async function isBound(tx: Tx, alias: SubjectKey, to: SubjectKey): Promise<boolean> {
  const rows = new Map((await lockSubjects(tx, [alias, to])).map((locked) => [subjectText(locked), locked]));
  const [now, target] = [rows.get(subjectText(alias)), rows.get(subjectText(to))];
  if (target?.alias_key)
    throw new Conflict(`the conversation's own subject is an alias of ${shown(bound(target))}; bind it to that conversation`);
  if (!now?.alias_key) return false;
  const other = bound(now);
  if (other.namespace === to.namespace && other.key === to.key) return true;
  throw new Conflict(`${shown(alias)} is an alias of ${shown(other)}; remove it there first`);
}

function bound({ alias_namespace: namespace, alias_key: key }: { alias_namespace: string | null; alias_key: string | null }): Subject {
  return { namespace: namespace ?? '', key: key ?? '' };
}

/** What was said about the alias so far stays where it is: only where that is over, or never began, may the subject go elsewhere. */
async function assertUnused(tx: Tx, alias: SubjectKey): Promise<void> {
  const ids = (await conversationsAbout(tx, [alias])).map(({ id }) => id).sort();
  const queues = await lockQueues(tx, ids);
  const used = (await readConversations(tx, ids)).find(({ id, state }) => state === 'open' && queues.get(id)?.nextSequence !== 1);
  if (used) throw new Conflict(`${shown(alias)} has a conversation of its own, ${used.id}, which is open; terminate it first`);
}

async function sharedConversation(tx: Tx, { org, conversation }: AliasRequest): Promise<ConversationRow> {
  const row = await existing(tx, org, conversation);
  if (row.scope === 'run') throw new Conflict('this conversation is of one event alone and has no subject that another could share');
  return row;
}

async function existing(tx: Tx, org: string, id: string): Promise<ConversationRow> {
  const [row] = await readConversations(tx, [id]);
  if (row?.org !== org) throw new NotFound(`there is no conversation ${id}`);
  return row;
}

async function note(tx: Tx, { conversation, by }: AliasRequest, kind: Note['kind'], { namespace, key }: Subject): Promise<void> {
  const at = await clock(tx);
  await insertNotes(tx, [{ conversation, at, by, kind, receipt: null, sequence: null, reason: `${namespace} ${key}` }]);
}

function keyOf(org: string, { namespace, key }: Subject): SubjectKey {
  return { org, namespace, key };
}

function shown({ namespace, key }: Subject): string {
  return `${namespace} ${key}`;
}
