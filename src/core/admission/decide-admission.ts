import { type Lifetime, reduce, UNOBSERVED } from '../conversations/conversation.js';
import { takeChange } from './decide-change.js';
import type { Decision, Origin, Verdict } from './decision.js';
import { DISPOSITIONS, type Disposition } from './event.js';
import { note } from './note.js';
import type { Admission, PlannedMatch } from './plan-admission.js';
import { bindMoved, takeMove } from './take-move.js';
import { takePrompt } from './take-prompt.js';
import type { Locked, World } from './world.js';

/** Decides one admission, in memory. Its subject's life comes first: an end closes conversations, whatever the routes say. */
export function decideAdmission(world: World, planned: Admission, receipt: number, origin: Origin): Decision {
  const { parsed } = planned.event;
  const followed = takeMove(world, planned, receipt) ?? follow(world, planned, receipt);
  if (parsed.kind === 'lifecycle') bindMoved(world, planned, receipt);
  const admission = world.placed(planned);
  const matched = admission.matches.map((match) =>
    parsed.kind === 'prompt' ? takePrompt(world, admission, match, receipt, origin) : takeLifecycle(world, admission, match, receipt),
  );
  const delivered = new Set(
    matched.filter(({ disposition }) => disposition === 'routed' || disposition === 'held').map((verdict) => verdict.conversation),
  );
  // A prompt that reopens its conversation is told of by its own delivery.
  const told = followed.filter((verdict) => !delivered.has(verdict.conversation));
  const changed = admission.change === null ? [] : takeChange(world, admission, admission.change, receipt);
  const verdicts = [...matched, ...changed, ...told];
  return { ...summary(admission, [...told, ...changed, ...matched]), matched: admission.matches.length, verdicts };
}

function summary(
  { event: { parsed }, change, refusals }: Admission,
  verdicts: readonly Verdict[],
): { disposition: Disposition; reason: string | null } {
  for (const disposition of DISPOSITIONS) {
    const first = verdicts.find((verdict) => verdict.disposition === disposition);
    if (first) return { disposition, reason: first.reason };
  }
  if (change !== null) return { disposition: 'ignored', reason: 'no_delivery' };
  if (parsed.kind === 'recorded' || parsed.kind === 'ignored') return { disposition: parsed.kind, reason: parsed.reason };
  const refused = refusals.find(({ reason }) => reason.startsWith('author_'));
  if (refused) return { disposition: 'ignored', reason: refused.reason };
  const nearest = refusals.find(({ reason }) => reason === 'filter') ?? refusals[0];
  return { disposition: 'unmatched', reason: nearest?.reason ?? 'no_route' };
}

/** Applies the observation to the subject and to every conversation that follows it. */
function follow(world: World, admission: Admission, receipt: number): Verdict[] {
  const { subject, observation, event } = admission;
  if (subject === null || observation === null) return [];
  const of = { ...subject, org: event.org };
  // What is old news of the subject is old news of its conversations, also of those that follow another subject beside it.
  if (world.observe(of, observation).verdict === 'stale')
    return event.parsed.kind !== 'lifecycle'
      ? []
      : world.followers(of).map((conversation) => told(world, admission, conversation, receipt, 'recorded', 'stale'));
  return world.followers(of).flatMap((conversation) => followOne(world, admission, conversation, receipt) ?? []);
}

function followOne(world: World, admission: Admission, conversation: Locked, receipt: number): Verdict | null {
  const { observation, event } = admission;
  if (observation === null) return null;
  const was = conversation.row.state;
  const reduction = reduce(conversation.row, observation);
  if (!('lifetime' in reduction))
    return event.parsed.kind === 'lifecycle' ? told(world, admission, conversation, receipt, 'recorded', reduction.verdict) : null;
  world.live(conversation, reduction.lifetime);
  const isEnd = reduction.lifetime.state === 'terminal';
  const isNews = was !== reduction.lifetime.state || (isEnd && observation.transition);
  if (!isNews) return event.parsed.kind === 'lifecycle' ? told(world, admission, conversation, receipt, 'recorded', 'advanced') : null;
  if (isEnd) return end(world, admission, conversation, receipt, reduction.lifetime);
  note(world, admission, conversation, receipt, 'reopened', null);
  const outcome = { route: conversation.row.route, conversation: conversation.row.id, reason: 'reopened' };
  if (observation.transition || isPromptFor(admission, conversation)) return { ...outcome, sequence: null, disposition: 'recorded' };
  return { ...outcome, sequence: deliverLifecycle(world, conversation, receipt), disposition: 'lifecycle' };
}

/** A receipt has one delivery in a conversation: a message that reopens it is to be heard, rather than the reopening told of. */
function isPromptFor({ event, matches }: Admission, { row }: Locked): boolean {
  return event.parsed.kind === 'prompt' && matches.some(({ conversation, onDemand }) => conversation.id === row.id && !onDemand);
}

/** The end: all that waits or runs is retired, and one lifecycle delivery keeps the place for cleaning up. */
function end(world: World, admission: Admission, conversation: Locked, receipt: number, life: Lifetime): Verdict {
  world.retireAll(conversation);
  const sequence = deliverLifecycle(world, conversation, receipt);
  note(world, admission, conversation, receipt, 'closed', life.reason);
  return { route: conversation.row.route, conversation: conversation.row.id, sequence, disposition: 'lifecycle', reason: life.reason };
}

function deliverLifecycle(world: World, conversation: Locked, receipt: number): number {
  const { route } = conversation.row;
  return world.deliver(conversation, {
    receipt,
    route,
    kind: 'lifecycle',
    trust: 'trusted',
    waking: true,
    wakeAt: null,
    messageKey: null,
    text: null,
    textRevision: null,
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
      ...told(world, admission, known, receipt, 'recorded', match.onDemand ? 'on_demand' : 'lifecycle_ignored'),
      route: match.route,
    };
  if (match.lifecycle === 'ignore') return { ...plain, disposition: 'recorded', reason: 'lifecycle_ignored' };
  const life = admission.observation?.state === 'terminal' ? world.lifeOf({ ...match.about, org: match.conversation.org }) : UNOBSERVED;
  if (life.state !== 'terminal' || match.workspace === null) return { ...plain, disposition: 'recorded', reason: 'no_conversation' };
  const made = world.create(match, match.workspace, admission);
  return { ...end(world, admission, made, receipt, life), route: match.route };
}

function told(
  world: World,
  admission: Admission,
  conversation: Locked,
  receipt: number,
  disposition: Disposition,
  reason: string,
): Verdict {
  note(world, admission, conversation, receipt, 'ignored', reason);
  return { route: conversation.row.route, conversation: conversation.row.id, sequence: null, disposition, reason };
}
