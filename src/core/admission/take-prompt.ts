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
  const wakeAt = !match.waking && match.wakeAfterMs !== null ? world.now + match.wakeAfterMs : null;
  const { route, trust, waking, text } = match;
  const { messageKey } = admission;
  const held = origin === 'hold';
  const delivery = { receipt, route, kind: 'prompt', held, trust, waking, wakeAt, messageKey, text, textRevision: null } as const;
  const sequence = world.deliver(conversation, delivery, ownText(admission));
  return { route, conversation: id, sequence, disposition: held ? 'held' : 'routed', reason: null };
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
  return admission.messageKey !== null && isSameMessage(world, known, admission, match) ? 'same_message' : null;
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
