import type { NewDelivery } from '../deliveries/deliveries.js';
import { OWN_EFFECT } from '../effects/effect.js';
import { textOf } from './decide-change.js';
import { ON_DEMAND, type Origin, type Verdict } from './decision.js';
import type { EarlyChange } from './early-changes.js';
import { enriched } from './enrich.js';
import type { Locked } from './locked.js';
import { note } from './note.js';
import type { Admission, PlannedMatch } from './plan-admission.js';
import type { World } from './world.js';

/** What becomes of a prompt in the conversation that a match names. */
export function takePrompt(world: World, admission: Admission, match: PlannedMatch, receipt: number, origin: Origin): Verdict {
  return (
    refusedPrompt(world, admission, match, receipt, origin) ?? deliveredPrompt(world, admission, match, { receipt, origin, joins: true })
  );
}

/** Null: nothing keeps it from being delivered. */
export function refusedPrompt(world: World, admission: Admission, match: PlannedMatch, receipt: number, origin: Origin): Verdict | null {
  const known = world.conversations.get(match.conversation.id);
  const isOnDemand = match.onDemand && !admission.isReplay;
  if (isOwn(origin) && !isOnDemand) {
    if (known) note(world, admission, known, receipt, 'ignored', OWN_EFFECT);
    return { route: match.route, conversation: known?.row.id ?? null, sequence: null, disposition: 'suppressed', reason: OWN_EFFECT };
  }
  const early = earlyChange(world, admission);
  const refused = isOnDemand ? ON_DEMAND : isWithdrawn(early) ? 'withdrawn' : refusal(world, admission, match, known, receipt);
  if (refused === null) return null;
  // A delivery of this receipt tells of it already.
  if (known && refused !== 'same_conversation') note(world, admission, known, receipt, 'ignored', refused);
  return {
    route: match.route,
    conversation: known?.row.id ?? null,
    sequence: null,
    disposition: refused === ON_DEMAND ? 'recorded' : 'ignored',
    reason: refused,
  };
}

interface Delivering {
  readonly receipt: number;
  readonly origin: Origin;
  /** It may join a turn that runs. */
  readonly joins: boolean;
}

export function deliveredPrompt(world: World, admission: Admission, match: PlannedMatch, { receipt, origin, joins }: Delivering): Verdict {
  const { id } = match.conversation;
  const early = earlyChange(world, admission);
  const conversation = world.conversations.get(id) ?? world.create(match, match.workspace ?? '', admission);
  const held = origin === 'hold';
  if (match.whileBusy === 'interrupt' && match.waking && !held && isBusy(conversation)) {
    note(world, admission, conversation, receipt, 'interrupt', null);
    world.interrupt(conversation);
  }
  const sequence = deliverPrompt(world, admission, match, conversation, { receipt, held, joins, ...wordsOf(match, early) });
  if (early !== null)
    world.notes.push({ conversation: id, at: world.now, by: admission.by, kind: 'edited', receipt: early.receipt, sequence, reason: null });
  return { route: match.route, conversation: id, sequence, disposition: held ? 'held' : 'routed', reason: null };
}

function deliverPrompt(
  world: World,
  admission: Admission,
  match: PlannedMatch,
  conversation: Locked,
  { joins, ...of }: { readonly receipt: number; readonly held: boolean; readonly joins: boolean } & Words,
): number {
  const { authorKind, messageKey } = admission;
  const { route, trust, waking, whileBusy, debounceMs, wakeAfterMs } = match;
  const wakeAt = !waking && wakeAfterMs !== null ? world.now + wakeAfterMs : null;
  const collects = waking && whileBusy === 'collect';
  // What machines write, or ourselves, makes a turn of its own: a loop is told by its turns.
  const steers = joins && authorKind !== 'machine' && !of.held && (whileBusy === 'steer' || !waking);
  const delivery = { ...of, route, kind: 'prompt', trust, waking, wakeAt, messageKey, authorKind } as const;
  return world.deliver(conversation, { ...delivery, collects, debounceMs: collects ? debounceMs : null, steers }, ownText(admission));
}

type Words = Pick<NewDelivery, 'text' | 'textRevision'>;

/** What the message says: its own words, or those that an edit which came first has given it. */
function wordsOf(match: PlannedMatch, early: EarlyChange | null): Words {
  if (early === null) return { text: match.text, textRevision: null };
  return { text: textOf(early.change, match.route), textRevision: early.change.revision };
}

function earlyChange(world: World, { subject, messageKey, event }: Admission): EarlyChange | null {
  return subject === null || messageKey === null ? null : world.early.of({ ...subject, org: event.org }, messageKey);
}

function isWithdrawn(early: EarlyChange | null): boolean {
  return early !== null && early.change.text === null;
}

/** A turn of it lives, be it at rest. */
function isBusy({ queue }: Locked): boolean {
  return queue.owner !== null && queue.turnTrust !== null;
}

function isOwn(origin: Origin): boolean {
  return origin === 'echo' || origin === 'proof';
}

/** Why a match makes no delivery; null: it does. */
function refusal(world: World, admission: Admission, match: PlannedMatch, known: Locked | undefined, receipt: number): string | null {
  // Whether the end still holds is what its provider says when the delivery is at the head.
  const isToBeAsked = world.tied.has(receipt);
  if (!known) {
    if (match.continueOnly || match.workspace === null) return 'no_conversation';
    const hasEnded = match.lifecycle === 'follow' && world.lifeOf({ ...match.about, org: match.conversation.org }).state === 'terminal';
    return hasEnded && !isToBeAsked && match.afterClose === 'ignore' ? 'terminal' : null;
  }
  if (known.row.state === 'terminal' && !isToBeAsked && match.afterClose === 'ignore') return 'terminal';
  if (world.wasDelivered(receipt, known.row.id)) return 'same_conversation';
  if (admission.messageKey !== null && isSameMessage(world, known, admission, match)) return 'same_message';
  return match.whileBusy === 'reject' && isBusy(known) ? 'busy' : null;
}

function isSameMessage(world: World, conversation: Locked, admission: Admission, match: PlannedMatch): boolean {
  const { messageKey } = admission;
  const message = messageKey === null ? undefined : world.message(conversation.row.id, messageKey);
  if (messageKey === null || message === undefined) return false;
  const richer = enriched(message, match, match.text ?? ownText(admission));
  if (richer !== null) world.amend(conversation, messageKey, message, richer);
  return true;
}

function ownText({ event: { parsed } }: Admission): string {
  return 'text' in parsed ? parsed.text : '';
}
