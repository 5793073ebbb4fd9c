import type { Database } from '../database/database.js';
import { clock, type Tx } from '../database/tx.js';
import { Conflict, NotFound } from '../plugin/index.js';
import { audited } from './audited.js';
import { mirrorReopenings } from './controls/mirror-life.js';
import { conversation as life, STRENGTH } from './conversations/conversation.js';
import { readConversations, saveLifetime } from './conversations/conversations.js';
import { insertNotes, type Note } from './conversations/notes.js';
import { completeClaimed, openPrefixes, readDelivery, recordFailure, retireUpTo } from './deliveries/deliveries.js';
import { parseDeliveryId } from './deliveries/delivery.js';
import { drop, fence, isClaimed, letGo, type Queue, wakeAt } from './deliveries/queue.js';
import { lockQueues, saveQueues } from './deliveries/queues.js';
import { takeBack } from './deliveries/take-back.js';
import { unpark } from './deliveries/unpark.js';
import { recordEndings } from './jobs/record-endings.js';
import type { Signals } from './signals.js';
import { letGoOn, pauseConversation, resumeConversation } from './steering/pause.js';
import type { Place } from './steering/place.js';
import { resetConversation } from './steering/reset.js';
import { endLiveTurn } from './turns/turns.js';

/** What operators may do to conversations and deliveries. Each throws `NotFound`, or `Conflict` saying what the thing is now. */
export class Operations {
  constructor(
    private readonly database: Database,
    private readonly signals: Signals,
    /** What is stored together with what is done. */
    private readonly also: (tx: Tx) => Promise<void> = async () => undefined,
  ) {}

  /** The same operations, each in one transaction with something more. */
  alongside(also: (tx: Tx) => Promise<void>): Operations {
    return new Operations(this.database, this.signals, also);
  }

  /** A waiting head is due at once, a stalled conversation goes on; its count of failures starts anew. */
  async retry(org: string, delivery: string, by: string): Promise<void> {
    await this.onDelivery(org, delivery, async (tx, place, entry) => {
      if (entry.state !== 'pending' || isClaimed(place.queue, entry.sequence)) throw cannot('retry', entry, place.queue);
      if (!(await isHead(tx, entry))) throw new Conflict('cannot retry this delivery: it waits behind another one, which must end first');
      await recordFailure(tx, entry, { attempts: 0, interruptions: 0, dueAt: null, failure: `retried by ${by}` });
      const { parked } = place.queue;
      if (parked === 'looping' || parked === 'spent') await letGoOn(tx, place);
      else if (parked === 'stalled' || parked === null) unpark(place.queue, place.now);
      await note(tx, place, { by, kind: 'retry', sequence: entry.sequence, reason: null });
    });
  }

  /** A delivery that nobody works on is completed without a turn; those behind it move up. */
  async skip(org: string, delivery: string, by: string, reason: string | null): Promise<void> {
    await this.onDelivery(org, delivery, async (tx, place, entry) => {
      if (entry.outcome !== null || isClaimed(place.queue, entry.sequence) || entry.state === 'held')
        throw cannot('skip', entry, place.queue);
      const { queue, now } = place;
      const wasHead = await isHead(tx, entry);
      const bounds = { conversation: entry.conversation, from: entry.sequence, to: entry.sequence };
      const { waking } = await completeClaimed(tx, bounds, 'skipped', reason ?? `by ${by}`);
      drop(queue, { waking: waking === 1, isHead: wasHead }, now);
      await note(tx, place, { by, kind: 'skip', sequence: entry.sequence, reason });
    });
  }

  /** Ends the turn that works on the delivery, without a result; its deliveries wait again, in their places. */
  async abandon(org: string, delivery: string, by: string): Promise<void> {
    await this.onDelivery(org, delivery, async (tx, place, entry) => {
      if (!isClaimed(place.queue, entry.sequence)) throw cannot('abandon', entry, place.queue);
      await takeBack(tx, place.queue, `abandoned by ${by}`, 'abandoned');
      await note(tx, place, { by, kind: 'abandon', sequence: entry.sequence, reason: null });
    });
  }

  /** Stops the running turn; what it worked on is completed as interrupted. */
  async stop(org: string, conversation: string, by: string): Promise<void> {
    await this.onConversation(org, conversation, async (tx, place) => {
      const { queue, now } = place;
      if (queue.owner === null) throw new Conflict('no turn is running in this conversation');
      await endLiveTurn(tx, conversation, 'interrupted', `stopped by ${by}`);
      const bounds = { conversation, from: queue.claimFrom ?? 0, to: queue.claimTo ?? 0 };
      const { count, waking } = await completeClaimed(tx, bounds, 'interrupted', `stopped by ${by}`);
      letGo(queue);
      const { token, open } = queue;
      Object.assign(queue, { token: token + 1, retryTo: null, head: bounds.to + 1, open: open - count, waking: queue.waking - waking });
      wakeAt(queue, now);
      await note(tx, place, { by, kind: 'stop', sequence: bounds.from, reason: null });
    });
  }

  /** Ends the conversation as its provider would; holds until a newer state of the provider's. */
  async terminate(org: string, conversation: string, reason: string, by: string): Promise<void> {
    await this.onConversation(org, conversation, async (tx, place) => {
      const { row, queue, now } = place;
      if (row.state === 'terminal') throw new Conflict(`this conversation is terminal already (${row.reason ?? 'closed'})`);
      const state = life.next(row.state, 'terminate');
      await saveLifetime(tx, conversation, { state, reason, revision: row.revision, strength: STRENGTH.operator }, now);
      await retireUpTo(tx, conversation, queue.nextSequence - 1, null, now);
      await endLiveTurn(tx, conversation, 'retired', null);
      fence(queue);
      await recordEndings(tx, [{ conversation, sequence: null }], now);
      // There is nothing left that could be paused.
      queue.isPaused = false;
      await note(tx, place, { by, kind: 'terminate', sequence: null, reason });
    });
    this.signals.emit('jobs');
  }

  /** Opens it again; holds until a newer state of the provider's. */
  async reopen(org: string, conversation: string, by: string): Promise<void> {
    await this.onConversation(org, conversation, async (tx, place) => {
      const { row, now } = place;
      if (!life.sources('reopen').includes(row.state)) throw new Conflict('this conversation is open already');
      const state = life.next(row.state, 'reopen');
      await saveLifetime(tx, conversation, { state, reason: null, revision: row.revision, strength: STRENGTH.operator }, now);
      await mirrorReopenings(tx, [conversation], now);
      await note(tx, place, { by, kind: 'reopen', sequence: null, reason: null });
    });
    this.signals.emit('errands');
  }

  /** The agent begins anew: what waits or runs so far is done with, the session is gone; what arrives from now on is not touched. */
  reset(org: string, conversation: string, by: string): Promise<void> {
    return this.onConversation(org, conversation, (tx, place) => resetConversation(tx, place, by));
  }

  /** Nothing of it is claimed until it is resumed; a running turn comes to rest, where its runtime can, or ends. */
  pause(org: string, conversation: string, by: string): Promise<void> {
    return this.onConversation(org, conversation, (tx, place) => pauseConversation(tx, place, by));
  }

  /** Ends a pause, and lets go on what was put aside for costs or for a loop. */
  resume(org: string, conversation: string, by: string): Promise<void> {
    return this.onConversation(org, conversation, (tx, place) => resumeConversation(tx, place, by));
  }

  private async onDelivery(org: string, id: string, work: (tx: Tx, place: Place, entry: Entry) => Promise<void>): Promise<void> {
    const at = parseDeliveryId(id);
    if (at === null) throw new NotFound(`there is no delivery ${id}`);
    await this.onConversation(org, at.conversation, async (tx, place) => {
      const entry = await readDelivery(tx, at.conversation, at.sequence);
      if (entry === null) throw new NotFound(`there is no delivery ${id}`);
      await work(tx, place, entry);
    });
  }

  private async onConversation(org: string, id: string, work: (tx: Tx, place: Place) => Promise<void>): Promise<void> {
    const { isFenced, isSteered } = await audited(this.database, async (tx) => {
      const queue = (await lockQueues(tx, [id])).get(id);
      const [row] = await readConversations(tx, [id]);
      if (!queue || row?.org !== org) throw new NotFound(`there is no conversation ${id}`);
      const { token, isPaused } = queue;
      await work(tx, { row, queue, now: await clock(tx) });
      await saveQueues(tx, [queue]);
      await this.also(tx);
      return { isFenced: queue.token !== token, isSteered: queue.owner !== null && queue.isPaused !== isPaused };
    });
    // First: whoever is woken may claim the same conversation again.
    if (isFenced) this.signals.emit('fenced', [id]);
    if (isSteered) this.signals.emit('steered', [id]);
    this.signals.emit('ready');
    this.signals.emit('activity', id);
  }
}

type Entry = NonNullable<Awaited<ReturnType<typeof readDelivery>>>;

async function isHead(tx: Tx, { conversation, sequence }: Entry): Promise<boolean> {
  const [head] = await openPrefixes(tx, [conversation], 1);
  return head?.sequence === sequence;
}

function cannot(verb: string, entry: Entry, queue: Queue): Conflict {
  const state = entry.outcome === null ? (isClaimed(queue, entry.sequence) ? 'claimed' : entry.state) : `completed (${entry.outcome})`;
  return new Conflict(`cannot ${verb} this delivery: it is ${state}`);
}

function note(tx: Tx, { row, now }: Place, n: Pick<Note, 'by' | 'kind' | 'sequence' | 'reason'>): Promise<void> {
  return insertNotes(tx, [{ ...n, conversation: row.id, at: now, receipt: null }]);
}
