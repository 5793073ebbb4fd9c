import { clock, type Tx } from '../../database/tx.js';
import type { Subject, Verdict } from '../../plugin/index.js';
import { readBinding } from '../controls/bindings.js';
import { bind } from '../controls/posts.js';
import type { PlacementOf } from '../controls/reconciliation.js';
import { insertNotes } from '../conversations/notes.js';
import { moveConversation } from '../conversations/place-conversations.js';
import type { Claim } from '../deliveries/claim.js';
import { completeClaimed, deliveredTo, type OpenDelivery } from '../deliveries/deliveries.js';
import type { Outcome } from '../deliveries/delivery.js';
import { letGo, type Queue, wakeAt } from '../deliveries/queue.js';
import type { Signals } from '../signals.js';
import { storable } from '../storable.js';
import { PINNING } from '../tasks/task.js';
import { readTask } from '../tasks/tasks.js';
import { type Party, saveVerdict } from '../verdicts/verdicts.js';
import { follow } from './follow-subject.js';
import type { Locked } from './locked.js';
import { lockReach } from './read-world.js';
import type { World } from './world.js';
import { fencedIn, hasEndedIn, writeWorld } from './write-world.js';

/** A verdict about one of the deliveries of a claim. */
export interface Judgement {
  readonly claim: Claim;
  readonly entry: OpenDelivery;
  readonly org: string;
  /** What the event was about, as its parser said; null: nothing whose life could be told of. */
  readonly subject: Subject | null;
  readonly party: Party;
  readonly verdict: Verdict;
  /** Whether its route lets it be answered after the end. */
  readonly mayAnswer: boolean;
  readonly placementOf: PlacementOf;
}

/** What of a claim is left after a verdict about one of its deliveries. */
export type Left =
  /** Somebody else has the claim, and nothing was changed. */
  | { readonly how: 'stale' }
  /** Nothing: the claim is over. */
  | { readonly how: 'ended' }
  | { readonly how: 'claimed'; readonly claim: Claim };

export interface Applied {
  readonly left: Left;
  /** Other conversations whose running turn was fenced. */
  readonly fenced: readonly string[];
  readonly hasJobs: boolean;
  /** The workspace that the conversation was moved to; null: it stays where it is. */
  readonly movedTo: string | null;
}

/** After the commit. */
export function announce(signals: Signals, { fenced, hasJobs, movedTo }: Applied): void {
  if (fenced.length > 0) signals.emit('fenced', fenced);
  if (hasJobs) signals.emit('jobs');
  if (movedTo !== null) signals.emit('errands');
  signals.emit('ready');
}

const REASON_LIMIT = 200;

/** Commits a verdict with its consequence, under the token of the claim. A state that it brings is applied as one that an event carries. */
export async function applyVerdict(tx: Tx, judgement: Judgement): Promise<Applied> {
  const { claim, entry, party, verdict } = judgement;
  const world = await readAround(tx, judgement);
  const own = world.conversations.get(claim.conversation);
  if (!own || own.queue.owner !== claim.owner || own.queue.token !== claim.token)
    return { left: { how: 'stale' }, fenced: [], hasJobs: false, movedTo: null };
  observe(world, judgement);
  const left = own.ended === null ? await decide(tx, own, judgement) : ({ how: 'ended' } as const);
  await saveVerdict(tx, { ...entry, party }, claim.token, verdict);
  own.isTouched = true;
  await writeWorld(tx, world);
  const movedTo = await move(tx, own, judgement, world.now);
  return { left, fenced: fencedIn(world).filter((id) => id !== claim.conversation), hasJobs: hasEndedIn(world), movedTo };
}

/** The provider's own move: the thread goes along, and what it leaves behind is archived. */
async function move(tx: Tx, { row }: Locked, { entry, party, verdict, placementOf }: Judgement, now: number): Promise<string | null> {
  const { workspace } = verdict;
  const { id: conversation, org } = row;
  if (workspace === undefined || workspace === row.workspace) return null;
  const task = await readTask(tx, conversation);
  // What is being worked on stays where it was begun.
  if (task !== null && PINNING.has(task.state)) return null;
  await moveConversation(tx, conversation, workspace);
  const placement = placementOf(org, workspace);
  if (placement !== null && (await readBinding(tx, conversation)) !== null)
    await bind(tx, { conversation, org, workspace, placement }, now);
  const { receipt, sequence } = entry;
  await insertNotes(tx, [
    { conversation, at: now, by: party, kind: 'moved', receipt, sequence, reason: `${row.workspace} → ${workspace}` },
  ]);
  return workspace;
}

async function readAround(tx: Tx, { claim, entry, org, subject, verdict }: Judgement): Promise<World> {
  const about = subject && verdict.observation ? [{ ...subject, org }] : [];
  const reach = { subjects: about, watched: about, conversations: () => [claim.conversation] };
  const world = await lockReach(tx, reach, await clock(tx));
  // Its receipt has a delivery here, and may have one in others: none gets a second.
  for (const { receipt, conversation } of await deliveredTo(tx, [entry.receipt])) world.rememberDelivered(receipt, conversation);
  return world;
}

function observe(world: World, { claim, entry, org, subject, verdict, party }: Judgement): void {
  if (subject === null || !verdict.observation) return;
  follow(world, {
    ...{ org, subject, receipt: entry.receipt, by: party, kind: 'prompt', manner: 'read' },
    observation: { ...verdict.observation, transition: false },
    isHeardBy: (conversation) => conversation === claim.conversation,
    claimed: { conversation: claim.conversation, sequence: entry.sequence },
  });
}

async function decide(tx: Tx, own: Locked, judgement: Judgement): Promise<Left> {
  const reason = unheard(own, judgement);
  if (reason === null) return { how: 'claimed', claim: judgement.claim };
  return complete(tx, own.queue, judgement, judgement.entry.kind === 'lifecycle' ? 'lifecycle' : 'ignored', reason);
}

/** Why the delivery wakes nobody; null: it does. */
function unheard(own: Locked, { entry, verdict, mayAnswer }: Judgement): string | null {
  if (verdict.verdict === 'ignore') return storable(verdict.reason, REASON_LIMIT);
  if (entry.kind === 'lifecycle') return 'read';
  if (own.row.state === 'terminal' && !mayAnswer) return 'terminal';
  // What it says of its subject's life is known, or older than what is.
  return verdict.verdict === 'lifecycle' ? 'no_news' : null;
}

/** Completes the one delivery; the claim goes on with the others. */
async function complete(tx: Tx, queue: Queue, { claim, entry }: Judgement, outcome: Outcome, reason: string): Promise<Left> {
  const { conversation, sequence } = entry;
  const { count, waking } = await completeClaimed(tx, { conversation, from: sequence, to: sequence }, outcome, reason);
  queue.open -= count;
  queue.waking -= waking;
  const entries = claim.entries.filter((each) => each.sequence !== sequence);
  const [head] = entries;
  queue.head = head?.sequence ?? claim.to + 1;
  if (!head) {
    letGo(queue);
    queue.retryTo = null;
    wakeAt(queue, await clock(tx));
    return { how: 'ended' };
  }
  queue.claimFrom = head.sequence;
  return { how: 'claimed', claim: { ...claim, head, entries, from: head.sequence } };
}
