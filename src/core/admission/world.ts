import type { Observation } from '../../plugin/index.js';
import { type Lifetime, type Reduction, reduce, UNOBSERVED } from '../conversations/conversation.js';
import type { ConversationRow } from '../conversations/conversations.js';
import type { Note } from '../conversations/notes.js';
import type { NewDelivery } from '../deliveries/deliveries.js';
import { append, emptyQueue, fence, type Queue } from '../deliveries/queue.js';
import { type SubjectKey, subjectText } from '../subjects/subjects.js';
import type { PlannedMatch } from './plan-admission.js';

/** A conversation that this transaction has locked, as it is after what was decided so far. */
export interface Locked {
  row: ConversationRow;
  readonly queue: Queue;
  readonly isNew: boolean;
  readonly title: string | null;
  readonly url: string | null;
  /** Stored deliveries up to here are to be retired. */
  retireUpTo: number | null;
  hasNewLife: boolean;
  isTouched: boolean;
}

export interface Message {
  readonly sequence: number;
  readonly isPending: boolean;
  readonly isWaking: boolean;
}

/**
 * All that a group of admissions may change, locked and read once; deciding changes it in memory, and what was changed is then written.
 * Nothing here knows of a database.
 */
export class World {
  readonly deliveries: NewDelivery[] = [];
  readonly notes: Note[] = [];
  readonly madeWaking: { conversation: string; sequence: number }[] = [];
  readonly changedSubjects = new Set<string>();
  private readonly messages = new Map<string, Message>();
  private readonly delivered = new Set<string>();

  constructor(
    readonly now: number,
    readonly subjects: Map<string, Lifetime>,
    readonly conversations: Map<string, Locked>,
    private readonly about: ReadonlyMap<string, readonly string[]>,
  ) {}

  lifeOf(subject: SubjectKey): Lifetime {
    return this.subjects.get(subjectText(subject)) ?? UNOBSERVED;
  }

  observe(subject: SubjectKey, seen: Observation): Reduction {
    const key = subjectText(subject);
    const reduction = reduce(this.lifeOf(subject), seen);
    if ('lifetime' in reduction) {
      this.subjects.set(key, reduction.lifetime);
      this.changedSubjects.add(key);
    }
    return reduction;
  }

  /** The conversations about the subject that follow its life, those made in this very transaction too. */
  followers(subject: SubjectKey): Locked[] {
    const stored = this.about.get(subjectText(subject)) ?? [];
    const made = [...this.conversations.values()]
      .filter((c) => c.isNew && subjectText(c.row) === subjectText(subject))
      .map((c) => c.row.id);
    const ids = [...new Set([...stored, ...made])].sort();
    return ids.flatMap((id) => this.conversations.get(id) ?? []).filter((c) => c.row.lifecycle === 'follow');
  }

  /** A conversation takes over what is known of its subject's life. */
  create(match: PlannedMatch, workspace: string, about: { title: string | null; url: string | null }): Locked {
    const { id, org, namespace, key, scope, scopeName } = match.conversation;
    const life = match.lifecycle === 'follow' ? this.lifeOf({ org, namespace, key }) : UNOBSERVED;
    const placed = { id, org, namespace, key, scope, scope_name: scopeName, lifecycle: match.lifecycle, route: match.route, workspace };
    const made: Locked = {
      row: { ...placed, ...life, state: life.state ?? 'open' },
      queue: emptyQueue(id, org, workspace),
      isNew: true,
      ...about,
      ...{ retireUpTo: null, hasNewLife: false, isTouched: true },
    };
    this.conversations.set(id, made);
    return made;
  }

  live(conversation: Locked, life: Lifetime): void {
    conversation.row = { ...conversation.row, ...life, state: life.state ?? 'open' };
    conversation.hasNewLife = true;
  }

  /** Retires all that waits or runs; the raised token fences a running turn. */
  retireAll(conversation: Locked): void {
    const { queue, row } = conversation;
    conversation.retireUpTo = queue.nextSequence - 1;
    conversation.isTouched = true;
    fence(queue);
    this.deliveries.forEach((delivery, i) => {
      if (delivery.conversation === row.id && delivery.outcome === null) this.deliveries[i] = { ...delivery, outcome: 'retired' };
    });
    for (const [key, message] of this.messages) if (key.startsWith(`${row.id} `)) this.messages.set(key, { ...message, isPending: false });
  }

  deliver(conversation: Locked, delivery: Omit<NewDelivery, 'conversation' | 'sequence' | 'outcome'>): number {
    const { waking, wakeAt, receipt, messageKey } = delivery;
    const sequence = append(conversation.queue, { waking, wakeAt }, this.now);
    conversation.isTouched = true;
    this.deliveries.push({ ...delivery, conversation: conversation.row.id, sequence, outcome: null });
    this.rememberDelivered(receipt, conversation.row.id);
    if (messageKey !== null) this.rememberMessage(conversation.row.id, messageKey, { sequence, isPending: true, isWaking: waking });
    return sequence;
  }

  rememberMessage(conversation: string, key: string, message: Message): void {
    this.messages.set(`${conversation} ${key}`, message);
  }

  message(conversation: string, key: string): Message | undefined {
    return this.messages.get(`${conversation} ${key}`);
  }

  rememberDelivered(receipt: number, conversation: string): void {
    this.delivered.add(`${receipt} ${conversation}`);
  }

  wasDelivered(receipt: number, conversation: string): boolean {
    return this.delivered.has(`${receipt} ${conversation}`);
  }

  /** A waiting message that nobody was to be woken for is now one to wake for. */
  promote(conversation: Locked, key: string, message: Message): void {
    const { queue, row } = conversation;
    const waiting = this.deliveries.findIndex((d) => d.conversation === row.id && d.sequence === message.sequence);
    const made = this.deliveries[waiting];
    if (made) this.deliveries[waiting] = { ...made, waking: true };
    else this.madeWaking.push({ conversation: row.id, sequence: message.sequence });
    queue.waking += 1;
    conversation.isTouched = true;
    if (queue.owner === null && queue.parked === null) queue.readyAt = this.now;
    this.rememberMessage(row.id, key, { ...message, isWaking: true });
  }
}
