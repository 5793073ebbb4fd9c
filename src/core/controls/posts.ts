import { first, type Tx } from '../../database/tx.js';
import { type Binding, insertBinding, moveBinding, readBinding, takenTitles } from './bindings.js';
import type { Placement } from './control.js';
import type { PostBody } from './errand.js';
import { changeErrands, insertErrands, type NewErrand, slotOf } from './errands.js';
import { numbered, threadTitle } from './title.js';

/** A message for people in the thread of a conversation. Put again under its slot it becomes another: it is edited in its place. */
export interface Post extends PostBody {
  readonly slot: string;
}

/** A conversation and where it is to be shown. */
export interface Place {
  readonly conversation: string;
  readonly org: string;
  readonly workspace: string;
  readonly placement: Placement;
}

/**
 * Puts down what people are to see of a conversation, in the transaction that makes it so. Nothing is written to the channel here; what
 * changes again before it was written is written once.
 */
export async function putPosts(tx: Tx, place: Place, posts: readonly Post[], now: number): Promise<void> {
  if (posts.length === 0) return;
  const binding = await bind(tx, place, now);
  await changeErrands(
    tx,
    posts.map((post) => postErrand(binding, post, place.placement.limits.editMs ?? 0)),
    now,
  );
}

/** Puts down a message in a thread that is bound already; once, whatever it says the second time. */
export async function putNotice(
  tx: Tx,
  binding: Pick<Binding, 'conversation' | 'org' | 'connection'>,
  post: Post,
  now: number,
): Promise<void> {
  await insertErrands(tx, [postErrand(binding, post, 0)], now);
}

function postErrand(
  { conversation, org, connection }: Pick<Binding, 'conversation' | 'org' | 'connection'>,
  { slot, ...body }: Post,
  pauseMs: number,
): NewErrand<'post'> {
  return { conversation, org, connection, lane: conversation, kind: 'post', slot, body, pauseMs };
}

/** The binding of a conversation, where the configuration wants it. */
export async function bind(tx: Tx, place: Place, now: number): Promise<Binding> {
  const { conversation, placement } = place;
  for (;;) {
    const known = await readBinding(tx, conversation);
    const isHere = known?.connection === placement.connection && known.parent === placement.parent;
    if (known !== null && (isHere || known.state === 'closed')) return known;
    const title = await freeTitle(tx, place, known?.title ?? null);
    if (known === null) await insertBinding(tx, { ...place, ...placement, title, isClosed: await hasEnded(tx, conversation) });
    else await move(tx, known, place, title, now);
  }
}

/** The thread that is left behind is archived; one under another parent of the same channel is left once there is a new one. */
async function move(tx: Tx, known: Binding, { workspace, placement }: Place, title: string, now: number): Promise<void> {
  const { conversation, org, connection, thread, thread_parent: parent, thread_title: called } = known;
  await moveBinding(tx, conversation, { connection: placement.connection, parent: placement.parent, title, workspace });
  if (thread === null || parent === null) return;
  const left = { parent, id: thread, title: called ?? known.title };
  const slot = slotOf(conversation, 'left', connection, thread);
  await insertErrands(
    tx,
    [{ conversation, org, connection, lane: null, kind: 'archive', slot, body: { ending: null, thread: left } }],
    now,
  );
}

const TRIED_AT_ONCE = 50;

async function freeTitle(tx: Tx, { conversation, org, placement }: Place, known: string | null): Promise<string> {
  const about = await first<{ title: string | null; key: string }>(tx, 'select title, key from conversations where id = ?', [conversation]);
  const { connection, parent, limits } = placement;
  const title = threadTitle([known, about?.title ?? null, about?.key ?? null], limits.title);
  for (let from = 1; ; from += TRIED_AT_ONCE) {
    const titles = Array.from({ length: TRIED_AT_ONCE }, (_, i) => numbered(title, from + i, limits.title));
    const taken = await takenTitles(tx, { org, connection, parent }, titles);
    const free = titles.find((each) => !taken.has(each));
    if (free !== undefined) return free;
  }
}

async function hasEnded(tx: Tx, conversation: string): Promise<boolean> {
  return (await first(tx, "select 1 as ended from conversations where id = ? and state = 'terminal'", [conversation])) !== null;
}
