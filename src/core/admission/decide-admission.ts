import { UNOBSERVED } from '../conversations/conversation.js';
import { takeChange } from './decide-change.js';
import type { Decision, Origin, Verdict } from './decision.js';
import { DISPOSITIONS, type Disposition } from './event.js';
import { end, follow, told } from './follow-subject.js';
import type { Admission, PlannedMatch } from './plan-admission.js';
import { isStarting } from './planned-start.js';
import { bindMoved, takeMove } from './take-move.js';
import { takePrompt } from './take-prompt.js';
import { takeTrigger } from './take-trigger.js';
import type { World } from './world.js';

/** Decides one admission, in memory. Its subject's life comes first: an end closes conversations, whatever the routes say. */
export function decideAdmission(world: World, planned: Admission, receipt: number, origin: Origin): Decision {
  const { parsed } = planned.event;
  const followed = takeMove(world, planned, receipt) ?? followAdmission(world, planned, receipt);
  if (parsed.kind === 'lifecycle') bindMoved(world, planned, receipt);
  const admission = world.placed(planned);
  const matched = admission.matches.map((match) => {
    if (isStarting(match)) return takeTrigger(world, admission, match, receipt, origin);
    return parsed.kind === 'prompt'
      ? takePrompt(world, admission, match, receipt, origin)
      : takeLifecycle(world, admission, match, receipt);
  });
  const delivered = new Set(
    matched.filter(({ disposition }) => disposition === 'routed' || disposition === 'held').map((verdict) => verdict.conversation),
  );
  // A prompt that reopens its conversation is told of by its own delivery.
  const told = followed.filter((verdict) => !delivered.has(verdict.conversation));
  const changed = admission.change === null ? [] : takeChange(world, admission, admission.change, receipt);
  const ordered = orderedBy(admission);
  const verdicts = [...matched, ...changed, ...told, ...ordered];
  return { ...summary(admission, [...told, ...changed, ...matched, ...ordered]), matched: admission.matches.length, verdicts };
}

/** What a person wants of the host is no message for an agent; it is done at once, beside whatever runs. */
function orderedBy({ bound }: Admission): Verdict[] {
  if (!bound?.action) return [];
  const { conversation, action } = bound;
  return [{ route: null, conversation, sequence: null, disposition: 'recorded', reason: action.type }];
}

function summary(
  { event: { parsed }, change, refusals, early }: Admission,
  verdicts: readonly Verdict[],
): { disposition: Disposition; reason: string | null } {
  for (const disposition of DISPOSITIONS) {
    const first = verdicts.find((verdict) => verdict.disposition === disposition);
    if (first) return { disposition, reason: first.reason };
  }
  if (early !== null) return { disposition: 'recorded', reason: 'thread_unsettled' };
  if (change !== null) return { disposition: 'ignored', reason: 'no_delivery' };
  if (parsed.kind === 'recorded' || parsed.kind === 'ignored') return { disposition: parsed.kind, reason: parsed.reason };
  const refused = refusals.find(({ reason }) => reason.startsWith('author_'));
  if (refused) return { disposition: 'ignored', reason: refused.reason };
  if (parsed.kind === 'action') return { disposition: 'ignored', reason: 'unbound_thread' };
  const nearest = refusals.find(({ reason }) => reason === 'filter') ?? refusals[0];
  return { disposition: 'unmatched', reason: nearest?.reason ?? 'no_route' };
}

/** What the event says of its subject's life. */
function followAdmission(world: World, admission: Admission, receipt: number): Verdict[] {
  const { subject, observation, event, by } = admission;
  if (subject === null || observation === null) return [];
  const { matches } = world.placed(admission);
  const isHeardBy = (id: string) => matches.some(({ conversation, onDemand }) => conversation.id === id && !onDemand);
  return follow(world, {
    ...{ org: event.org, subject, observation, receipt, by, kind: event.parsed.kind, claimed: null },
    manner: admission.canBeRead ? 'event_to_be_read' : 'event',
    isHeardBy: (conversation) => event.parsed.kind === 'prompt' && isHeardBy(conversation),
  });
}

/** A lifecycle event reaches conversations by `follow`; a match adds one for an end that comes before anything else. */
function takeLifecycle(world: World, admission: Admission, match: PlannedMatch, receipt: number): Verdict {
  const known = world.conversations.get(match.conversation.id);
  const plain = { route: match.route, conversation: known?.row.id ?? null, sequence: null };
  if (match.onDemand && !known) return { ...plain, disposition: 'recorded', reason: 'on_demand' };
  if (known?.row.lifecycle === 'follow') return { ...plain, disposition: 'recorded', reason: 'followed' };
  if (known)
    return {
      ...told(world, { by: admission.by, receipt }, known, 'recorded', match.onDemand ? 'on_demand' : 'lifecycle_ignored'),
      route: match.route,
    };
  if (match.lifecycle === 'ignore') return { ...plain, disposition: 'recorded', reason: 'lifecycle_ignored' };
  const life = admission.observation?.state === 'terminal' ? world.lifeOf({ ...match.about, org: match.conversation.org }) : UNOBSERVED;
  if (life.state !== 'terminal' || match.workspace === null) return { ...plain, disposition: 'recorded', reason: 'no_conversation' };
  const made = world.create(match, match.workspace, admission);
  return { ...end(world, { receipt, by: admission.by, claimed: null }, made, life), route: match.route };
}
