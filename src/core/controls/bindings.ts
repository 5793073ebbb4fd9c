import { first, type Tx } from '../../database/tx.js';
import type { ChannelState, ControlThread, Subject } from '../../plugin/index.js';
import { quoted } from '../machine.js';
import { type ControlState, control, type ThreadPlace } from './control.js';
import { errand, IN_HAND } from './errand.js';

export interface Binding {
  readonly conversation: string;
  readonly org: string;
  readonly connection: string;
  readonly parent: string;
  /** What the thread is to be called: the first title that it was given. */
  readonly title: string;
  readonly workspace: string;
  readonly state: ControlState;
  readonly thread: string | null;
  readonly thread_parent: string | null;
  readonly thread_title: string | null;
  readonly url: string | null;
  readonly verified_at: number | null;
  readonly fault: ChannelState | null;
  readonly fault_message: string | null;
  readonly fault_at: number | null;
}

const COLUMNS = `conversation, org, connection, parent, title, workspace, state, thread, thread_parent, thread_title, url, verified_at,
  fault, fault_message, fault_at`;

export async function readBinding(tx: Tx, conversation: string): Promise<Binding | null> {
  return first(tx, `select ${COLUMNS} from control_bindings where conversation = ?`, [conversation]);
}

export async function readBindings(tx: Tx, conversations: readonly string[]): Promise<Binding[]> {
  if (conversations.length === 0) return [];
  return tx.all(`select ${COLUMNS} from control_bindings where conversation ${tx.dialect.among('uuid')}`, [conversations]);
}

/** Locks the bindings that nobody else has locked, in one order. */
export async function lockFreeBindings(tx: Tx, conversations: readonly string[]): Promise<string[]> {
  if (conversations.length === 0) return [];
  const rows = await tx.all<{ conversation: string }>(
    `select conversation from control_bindings where conversation ${tx.dialect.among('uuid')} order by conversation${tx.dialect.forUpdateSkipLocked}`,
    [conversations],
  );
  return rows.map(({ conversation }) => conversation);
}

/** The conversations that these threads are bound to. */
export async function boundTo(tx: Tx, places: readonly ThreadPlace[]): Promise<(ThreadPlace & { readonly conversation: string })[]> {
  if (places.length === 0) return [];
  const { sql, values } = tx.dialect.given(
    'g',
    { org: 'text', connection: 'text', thread: 'text' },
    places.map(({ org, connection, thread }) => [org, connection, thread]),
  );
  return tx.all(
    `select conversation, org, connection, thread from control_bindings where (org, connection, thread) in (select org, connection, thread from ${sql})`,
    values,
  );
}

/** The threads of the conversations about a subject at one channel. */
export async function threadsAbout(
  tx: Tx,
  { org, connection, subject }: { readonly org: string; readonly connection: string; readonly subject: Subject },
): Promise<(ThreadPlace & { readonly conversation: string })[]> {
  return tx.all(
    `select b.conversation, b.org, b.connection, b.thread from conversations c join control_bindings b on b.conversation = c.id
      where c.org = ? and c.namespace = ? and c.key = ? and b.org = c.org and b.connection = ? and b.thread is not null`,
    [org, subject.namespace, subject.key, connection],
  );
}

/** Of a binding `b`: its channel may have made its thread already, and which one that is has not been written down. */
export const BEING_MADE = `b.verified_at is null and b.state <> '${control.target('close')}' and exists (select 1 from errands e
  where e.lane = cast(b.conversation as text) and e.ended_at is null and e.state in (${quoted([...IN_HAND, errand.target('lose')])}))`;

/** Those of the channels, as `org/connection`, at which a thread is being made. */
export async function channelsInMaking(tx: Tx, places: readonly ThreadPlace[]): Promise<Set<string>> {
  if (places.length === 0) return new Set();
  const channels = new Map(places.map(({ org, connection }) => [`${org}/${connection}`, [org, connection]]));
  const { sql, values } = tx.dialect.given('g', { org: 'text', connection: 'text' }, [...channels.values()]);
  const rows = await tx.all<{ org: string; connection: string }>(
    `select distinct b.org, b.connection from control_bindings b
      where (b.org, b.connection) in (select org, connection from ${sql}) and ${BEING_MADE}`,
    values,
  );
  return new Set(rows.map(({ org, connection }) => `${org}/${connection}`));
}

/** Those of the titles that threads under the parent have. */
export async function takenTitles(
  tx: Tx,
  { org, connection, parent }: { readonly org: string; readonly connection: string; readonly parent: string },
  titles: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.all<{ title: string }>(
    `select title from control_bindings where org = ? and connection = ? and parent = ? and title ${tx.dialect.among('text')}`,
    [org, connection, parent, titles],
  );
  return new Set(rows.map(({ title }) => title));
}

type NewBinding = Pick<Binding, 'conversation' | 'org' | 'connection' | 'parent' | 'title' | 'workspace'> & { readonly isClosed: boolean };

/** False: the conversation has a binding, or the title is taken. */
export async function insertBinding(tx: Tx, b: NewBinding): Promise<boolean> {
  const made = await tx.run(
    `insert into control_bindings (conversation, org, connection, parent, title, workspace, state, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, ?, ${tx.dialect.now}, ${tx.dialect.now}) on conflict do nothing`,
    [b.conversation, b.org, b.connection, b.parent, b.title, b.workspace, b.isClosed ? 'closed' : 'wanted'],
  );
  return made === 1;
}

/**
 * The configuration names another place. Under another parent of the same channel the thread so far stays known; another channel knows
 * nothing of it. A closed one moves when it is opened again.
 */
export async function moveBinding(
  tx: Tx,
  conversation: string,
  to: Pick<Binding, 'connection' | 'parent' | 'title' | 'workspace'>,
): Promise<void> {
  const forget = ['thread', 'thread_parent', 'thread_title', 'url'].map((c) => `${c} = case when connection = ? then ${c} end`).join(', ');
  await tx.run(
    `update control_bindings set state = '${control.target('move')}', ${forget}, connection = ?, parent = ?, title = ?, workspace = ?,
       verified_at = null, fault = null, fault_message = null, fault_at = null, updated_at = ${tx.dialect.now}
     where conversation = ? and state in (${quoted(control.sources('move'))})`,
    [...Array<string>(4).fill(to.connection), to.connection, to.parent, to.title, to.workspace, conversation],
  );
}

/**
 * The thread as its channel gave it, for the place that was asked about. Where the conversation ended meanwhile it stays closed. False:
 * the place is another one by now.
 */
export async function saveThread(
  tx: Tx,
  { conversation, connection, parent }: Pick<Binding, 'conversation' | 'connection' | 'parent'>,
  thread: ControlThread,
): Promise<boolean> {
  const changed = await tx.run(
    `update control_bindings set state = case when state in (${quoted(control.sources('verify'))}) then '${control.target('verify')}' else state end,
       thread = ?, thread_parent = ?, thread_title = ?, url = ?, verified_at = ${tx.dialect.now}, updated_at = ${tx.dialect.now}
     where conversation = ? and connection = ? and parent = ?`,
    [thread.id, thread.parent, thread.title, thread.url ?? null, conversation, connection, parent],
  );
  return changed === 1;
}

/** Its thread is to be verified before the next message. */
export async function doubtThread(tx: Tx, conversation: string): Promise<void> {
  await tx.run(
    `update control_bindings set state = '${control.target('doubt')}', verified_at = null where conversation = ? and state in (${quoted(control.sources('doubt'))})`,
    [conversation],
  );
}

/** Mirrors the ends of conversations; those that are shown somewhere. */
export async function closeBindings(
  tx: Tx,
  conversations: readonly string[],
): Promise<Pick<Binding, 'conversation' | 'org' | 'connection'>[]> {
  if (conversations.length === 0) return [];
  return tx.all(
    `update control_bindings set state = '${control.target('close')}', verified_at = null, updated_at = ${tx.dialect.now}
     where conversation ${tx.dialect.among('uuid')} returning conversation, org, connection`,
    [conversations],
  );
}

export async function reopenBindings(
  tx: Tx,
  conversations: readonly string[],
): Promise<Pick<Binding, 'conversation' | 'org' | 'connection' | 'thread'>[]> {
  if (conversations.length === 0) return [];
  return tx.all(
    `update control_bindings set state = '${control.target('reopen')}', verified_at = null, updated_at = ${tx.dialect.now}
     where conversation ${tx.dialect.among('uuid')} and state in (${quoted(control.sources('reopen'))}) returning conversation, org, connection, thread`,
    [conversations],
  );
}

/** What is wrong with the channel, for operators. True: it is news. */
export async function saveFault(tx: Tx, conversation: string, fault: { state: ChannelState; message: string }): Promise<boolean> {
  const known = await first<{ fault: string | null }>(tx, 'select fault from control_bindings where conversation = ?', [conversation]);
  await tx.run(
    `update control_bindings set fault = ?, fault_message = ?, fault_at = case when fault = ? then fault_at else ${tx.dialect.now} end where conversation = ?`,
    [fault.state, fault.message, fault.state, conversation],
  );
  return known !== null && known.fault !== fault.state;
}

export async function clearFault(tx: Tx, conversation: string): Promise<void> {
  await tx.run(
    'update control_bindings set fault = null, fault_message = null, fault_at = null where conversation = ? and fault is not null',
    [conversation],
  );
}

export interface ChannelHealth {
  readonly org: string;
  readonly connection: string;
  /** Null: threads that nothing is wrong with. */
  readonly fault: ChannelState | null;
  /** What the channel says of one of them. */
  readonly message: string | null;
  readonly threads: number;
}

/** How the threads of each channel are, by what is wrong with them. */
export async function channelHealth(tx: Tx, orgs: readonly string[]): Promise<ChannelHealth[]> {
  return tx.all(
    `select org, connection, fault, min(fault_message) as message, count(*) as threads from control_bindings
      where org ${tx.dialect.among('text')} group by org, connection, fault order by org, connection, fault`,
    [orgs],
  );
}
