import type { Observation, Parsed, Subject } from '../../plugin/index.js';
import { type Lifetime, type Manner, reduce } from '../conversations/conversation.js';
import type { Verdict } from './decision.js';
import type { Disposition } from './event.js';
import type { Locked } from './locked.js';
import { note } from './note.js';
import type { World } from './world.js';

/** A state of a subject as it was seen, by an event or by asking, and by whom. */
export interface Sighting {
  readonly org: string;
  readonly subject: Subject;
  readonly observation: Observation;
  readonly manner: Manner;
  readonly receipt: number;
  readonly by: string;
  readonly kind: Parsed['kind'];
  /** Whether the conversation gets the event as a message. */
  readonly isHeardBy: (conversation: string) => boolean;
  /** The delivery under whose claim it was seen: it comes to stand for an end. */
  readonly claimed: { readonly conversation: string; readonly sequence: number } | null;
}

/** Applies what was seen to the subject and to every conversation that follows it. */
export function follow(world: World, sighting: Sighting): Verdict[] {
  const of = { ...sighting.subject, org: sighting.org };
  const { verdict } = world.observe(of, sighting.observation, sighting.manner);
  if (verdict === 'tied') world.tied.add(sighting.receipt);
  // What is old news of the subject is old news of its conversations, also of those that follow another subject beside it.
  if (verdict === 'stale')
    return isToBeTold(sighting) ? world.followers(of).map((each) => told(world, sighting, each, 'recorded', 'stale')) : [];
  return world.followers(of).flatMap((conversation) => followOne(world, sighting, conversation) ?? []);
}

function isToBeTold({ kind, claimed }: Sighting): boolean {
  return kind === 'lifecycle' && claimed === null;
}

function followOne(world: World, sighting: Sighting, conversation: Locked): Verdict | null {
  const was = conversation.row.state;
  const { observation } = sighting;
  const reduction = reduce(conversation.row, observation, sighting.manner);
  if (reduction.verdict === 'tied') return tied(world, sighting, conversation);
  if (!('lifetime' in reduction)) return isToBeTold(sighting) ? told(world, sighting, conversation, 'recorded', reduction.verdict) : null;
  world.live(conversation, reduction.lifetime);
  const isEnd = reduction.lifetime.state === 'terminal';
  const isNews = was !== reduction.lifetime.state || (isEnd && observation.transition);
  if (!isNews) return isToBeTold(sighting) ? told(world, sighting, conversation, 'recorded', 'advanced') : null;
  return isEnd ? end(world, sighting, conversation, reduction.lifetime) : reopen(world, sighting, conversation);
}

function reopen(world: World, sighting: Sighting, conversation: Locked): Verdict {
  conversation.isReopened = true;
  note(world, sighting, conversation, sighting.receipt, 'reopened', null);
  const outcome = { route: conversation.row.route, conversation: conversation.row.id, reason: 'reopened' };
  // A message that reopens its conversation is to be heard, rather than the reopening told of.
  const isSilent = sighting.observation.transition || sighting.manner === 'read' || sighting.isHeardBy(conversation.row.id);
  const sequence = isSilent ? null : deliverLifecycle(world, conversation, sighting.receipt);
  return { ...outcome, sequence, disposition: sequence === null ? 'recorded' : 'lifecycle' };
}

/** What is stored stays for now: the event's own delivery asks the provider when it is at the head. */
function tied(world: World, sighting: Sighting, conversation: Locked): Verdict {
  const { route, id } = conversation.row;
  const sequence = sighting.isHeardBy(id) ? null : deliverLifecycle(world, conversation, sighting.receipt);
  return { route, conversation: id, sequence, disposition: sequence === null ? 'recorded' : 'lifecycle', reason: 'tied' };
}

/** The end: all that waits or runs is retired, and one lifecycle delivery keeps the place for cleaning up. */
export function end(world: World, sighting: Pick<Sighting, 'receipt' | 'by' | 'claimed'>, conversation: Locked, life: Lifetime): Verdict {
  const { row } = conversation;
  const { claimed } = sighting;
  world.retireAll(conversation);
  const sequence =
    claimed?.conversation === row.id
      ? world.spare(conversation, claimed.sequence)
      : deliverLifecycle(world, conversation, sighting.receipt);
  conversation.ended = { conversation: row.id, sequence };
  note(world, sighting, conversation, sighting.receipt, 'closed', life.reason);
  return { route: row.route, conversation: row.id, sequence, disposition: 'lifecycle', reason: life.reason };
}

/** Null: a delivery of this receipt is there already, and a receipt has one in a conversation. */
function deliverLifecycle(world: World, conversation: Locked, receipt: number): number | null {
  const { route, id } = conversation.row;
  if (world.wasDelivered(receipt, id)) return null;
  const delivery = {
    receipt,
    route,
    kind: 'lifecycle',
    trust: 'trusted',
    waking: true,
    wakeAt: null,
    messageKey: null,
    text: null,
    textRevision: null,
    authorKind: null,
    ...{ collects: false, debounceMs: null, steers: false },
  } as const;
  return world.deliver(conversation, delivery);
}

export function told(
  world: World,
  by: Pick<Sighting, 'receipt' | 'by'>,
  conversation: Locked,
  disposition: Disposition,
  reason: string,
): Verdict {
  note(world, by, conversation, by.receipt, 'ignored', reason);
  return { route: conversation.row.route, conversation: conversation.row.id, sequence: null, disposition, reason };
}
