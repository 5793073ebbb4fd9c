import type { Verdict } from './decision.js';
import type { Arriving, Locked, Message } from './locked.js';
import type { MessageChange } from './message-change.js';
import type { Admission } from './plan-admission.js';
import type { World } from './world.js';

/** An event about a message that may be in several conversations: what waits is changed in its place, wherever it waits. */
export function takeChange(world: World, admission: Admission, change: MessageChange, receipt: number): Verdict[] {
  const { subject, event } = admission;
  const about = subject === null ? [] : world.conversationsAbout({ ...subject, org: event.org });
  const named = change.conversations.flatMap((id) => world.conversations.get(id) ?? []);
  const changed = [...new Set([...about, ...named])].flatMap((conversation): Verdict[] => {
    const message = world.message(conversation.row.id, change.messageKey);
    if (message === undefined) return [];
    const { noted, ...decided } = decide(world, conversation, message, change, { receipt, authorKind: admission.authorKind });
    const at = { conversation: conversation.row.id, at: world.now, by: admission.by, receipt, sequence: message.sequence };
    if (noted !== null) world.notes.push({ ...at, kind: noted, reason: null });
    else if (decided.sequence === null) world.notes.push({ ...at, kind: 'ignored', reason: decided.reason });
    return [{ route: message.route, conversation: conversation.row.id, ...decided }];
  });
  // The message may be on its way still: providers promise no order.
  if (changed.length === 0 && subject !== null) world.early.keep({ ...subject, org: event.org }, { change, receipt });
  return changed;
}

/** Which event it is, and who caused it. */
type Origin = Pick<Arriving, 'receipt' | 'authorKind'>;

interface Decided extends Pick<Verdict, 'disposition' | 'reason' | 'sequence'> {
  /** What happened to the message; null: nothing. */
  readonly noted: 'edited' | 'withdrawn' | null;
}

const ignored = (reason: string): Decided => ({ disposition: 'ignored', reason, sequence: null, noted: null });

function decide(world: World, conversation: Locked, message: Message, change: MessageChange, origin: Origin): Decided {
  const text = textOf(change, message.route);
  if (isStale(message, change)) return ignored('stale');
  if (text !== null && text === plain(message.text)) return ignored('no_text_change');
  if (message.text.startsWith(WITHDRAWN)) return ignored('already_withdrawn');
  if (message.state !== 'waiting') return tell(world, conversation, message, change, origin);
  // Whoever was given the message, and is about to be told of an edit, is to be told of what is true by then.
  const isNews = message.text.startsWith(EDITED);
  const noted = text === null ? 'withdrawn' : 'edited';
  if (text === null && !isNews) world.withdraw(conversation, change.messageKey, message);
  else {
    const { waking, route, trust } = message;
    const now = isNews ? news(message, text) : (text ?? '');
    world.amend(conversation, change.messageKey, message, { waking, route, trust, text: now, textRevision: change.revision });
  }
  return { disposition: 'recorded', reason: noted, sequence: null, noted };
}

const EDITED = 'This message was edited, and reads now:\n\n';
const WITHDRAWN = 'This message was withdrawn:\n\n';

function news(message: Message, text: string | null): string {
  return text === null ? WITHDRAWN + plain(message.text) : EDITED + text;
}

/** What the message itself says. */
function plain(text: string): string {
  return text.startsWith(EDITED) ? text.slice(EDITED.length) : text;
}

/** What the message says now, in the words of the route that took it; null: it was withdrawn. */
export function textOf(change: MessageChange, route: string | null): string | null {
  return change.routes.get(route ?? '')?.text ?? change.text;
}

/** Edits may arrive in another order than they were made in. */
function isStale({ textRevision }: Message, { revision }: MessageChange): boolean {
  return textRevision !== null && revision !== null && revision <= textRevision;
}

/** An agent may have read the message: it gets a further one, if the route of the first asks for that. */
function tell(world: World, conversation: Locked, message: Message, change: MessageChange, origin: Origin): Decided {
  const { outcome, route, trust } = message;
  if (outcome !== null && outcome !== 'done' && outcome !== 'interrupted') return ignored(`already_${outcome}`);
  const asked = change.routes.get(route ?? '');
  if (!asked?.delivery) return ignored('already_delivered');
  if (conversation.row.state === 'terminal' && asked.afterClose === 'ignore') return ignored('terminal');
  if (world.wasDelivered(origin.receipt, conversation.row.id)) return ignored('same_conversation');
  const { waking, wakeAfterMs } = asked.delivery;
  world.forget(conversation, message);
  const sequence = world.deliver(conversation, {
    ...{ ...origin, route, kind: 'prompt', waking, messageKey: change.messageKey, textRevision: change.revision },
    trust: trust === 'untrusted' ? trust : asked.delivery.trust,
    wakeAt: !waking && wakeAfterMs !== null ? world.now + wakeAfterMs : null,
    text: news(message, textOf(change, route)),
    ...{ collects: false, debounceMs: null, steers: false },
  });
  return { disposition: 'routed', reason: null, sequence, noted: null };
}
