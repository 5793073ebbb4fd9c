import { type Fields, fields, type WantedThread, word } from 'throughline/plugin';
import { isRefusal } from './failure.js';
import { keyOf, marked, transactionOf } from './marker.js';
import { pathOf } from './matrix.api.js';
import { note } from './message-body.js';
import { findOwn, type Search } from './own-messages.js';
import { partsOf } from './place.js';
import { type Desk, postMessage } from './post-room.js';
import { isRedacted } from './room-events.js';

/** The message that a thread hangs on. */
export interface Root {
  readonly id: string;
  /** Null: it cannot be read. */
  readonly title: string | null;
}

/** The thread that is known, where its root is still there, in this room and ours. */
export async function readRoot({ ask, cipher, room, user, signal }: Search, thread: string): Promise<Root | null> {
  const place = partsOf(thread);
  if (place?.room !== room) return null;
  try {
    const event = await ask({ method: 'GET', path: pathOf('rooms', room, 'event', place.event), signal });
    if (event.sender !== user || isRedacted(event)) return null;
    const clear = event.type === 'm.room.encrypted' ? await cipher?.decrypt(event, room) : event;
    return { id: place.event, title: titleOf(clear ?? {}) };
  } catch (error) {
    if (isRefusal(error, 'M_NOT_FOUND')) return null;
    throw error;
  }
}

/** One that was made although its answer got lost, and that was tried again soon. */
export async function findRoot(search: Search, wanted: WantedThread): Promise<Root | null> {
  const [key, transaction] = [rootKey(wanted), transactionOf('root', rootKey(wanted))];
  const event = await findOwn(search, (each, its) => !isRedacted(each) && (keyOf(each) === key || its === transaction));
  const id = word(event?.event_id);
  return event && id ? { id, title: titleOf(event) } : null;
}

export async function postRoot(desk: Desk, room: string, wanted: WantedThread, signal: AbortSignal): Promise<Root> {
  const content = marked(note(wanted.title), rootKey(wanted));
  return { id: await postMessage(desk, room, content, transactionOf('root', rootKey(wanted)), signal), title: wanted.title };
}

/** One that replaces another is another message. */
function rootKey({ conversation, known }: WantedThread): string {
  return `thread ${conversation} ${known?.id ?? 'first'}`;
}

/** A root that was renamed has its newest title beside it. */
function titleOf(event: Fields): string | null {
  const relations = fields(fields(event.unsigned)?.['m.relations']);
  const replacement = fields(fields(fields(relations?.['m.replace'])?.content)?.['m.new_content']);
  return word(replacement?.body) ?? word(fields(event.content)?.body) ?? null;
}
