import { OWN_EFFECT } from '../effects/effect.js';
import type { Origin, Verdict } from './decision.js';
import { enriched } from './enrich.js';
import { note } from './note.js';
import type { Admission, PlannedMatch } from './plan-admission.js';
import type { Locked, World } from './world.js';

/** What becomes of a prompt in the conversation that a match names. */
export function takePrompt(world: World, admission: Admission, match: PlannedMatch, receipt: number, origin: Origin): Verdict {
  const { id } = match.conversation;
  const known = world.conversations.get(id);
  const isOnDemand = match.onDemand && !admission.isReplay;
  if (isOwn(origin) && !isOnDemand) {
    if (known) note(world, admission, known, receipt, 'ignored', OWN_EFFECT);
    return { route: match.route, conversation: known?.row.id ?? null, sequence: null, disposition: 'suppressed', reason: OWN_EFFECT };
  }
  const refused = isOnDemand ? 'on_demand' : refusal(world, admission, match, known, receipt);
  if (refused !== null) {
    // A delivery of this receipt tells of it already.
    if (known && refused !== 'same_conversation') note(world, admission, known, receipt, 'ignored', refused);
    return {
      route: match.route,
      conversation: known?.row.id ?? null,
      sequence: null,
      disposition: refused === 'on_demand' ? 'recorded' : 'ignored',
      reason: refused,
    };
  }
  const conversation = known ?? world.create(match, match.workspace ?? '', admission);
  const held = origin === 'hold';
  if (match.whileBusy === 'interrupt' && match.waking && !held && isBusy(conversation)) {
    note(world, admission, conversation, receipt, 'interrupt', null);
    world.interrupt(conversation);
  }
  const sequence = deliverPrompt(world, admission, match, conversation, { receipt, held });
  return { route: match.route, conversation: id, sequence, disposition: held ? 'held' : 'routed', reason: null };
}

function deliverPrompt(
  world: World,
  admission: Admission,
  match: PlannedMatch,
  conversation: Locked,
  of: { readonly receipt: number; readonly held: boolean },
): number {
  const { authorKind, messageKey } = admission;
  const { route, trust, waking, text, whileBusy, debounceMs, wakeAfterMs } = match;
  const wakeAt = !waking && wakeAfterMs !== null ? world.now + wakeAfterMs : null;
  const collects = waking && whileBusy === 'collect';
  // What machines write, or ourselves, makes a turn of its own: a loop is told by its turns.
  const steers = authorKind !== 'machine' && !of.held && (whileBusy === 'steer' || !waking);
  const delivery = { ...of, route, kind: 'prompt', trust, waking, wakeAt, messageKey, text, textRevision: null, authorKind } as const;
  return world.deliver(conversation, { ...delivery, collects, debounceMs: collects ? debounceMs : null, steers }, ownText(admission));
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
