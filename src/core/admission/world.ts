import type { Observation } from '../../plugin/index.js';
import { type Lifetime, type Manner, type Reduction, reduce, UNOBSERVED } from '../conversations/conversation.js';
import { identify } from '../conversations/conversation-id.js';
import type { Note } from '../conversations/notes.js';
import type { Amendment, NewDelivery } from '../deliveries/deliveries.js';
import type { Outcome } from '../deliveries/delivery.js';
import { append, drop, emptyQueue, fence, join, letGo, type Queue, takesMore, wakeAt } from '../deliveries/queue.js';
import type { Aliases } from '../subjects/aliases.js';
import { type SubjectKey, subjectText } from '../subjects/subjects.js';
import { EarlyChanges } from './early-changes.js';
import { type Arriving, type Locked, type Message, unchanged } from './locked.js';
import type { Admission, PlannedMatch } from './plan-admission.js';
import { Starts } from './starts.js';

/** What of a match a conversation is made of. */
type MadeBy = Pick<PlannedMatch, 'conversation' | 'about' | 'lifecycle' | 'route'>;

/**
 * All that a group of admissions may change, locked and read once; deciding changes it in memory, and what was changed is then written.
 * Nothing here knows of a database.
 */
export class World {
  readonly deliveries: NewDelivery[] = [];
  readonly notes: Note[] = [];
  /** Stored deliveries that change, by place. */
  readonly amended: { conversation: string; sequence: number; to: Amendment }[] = [];
  readonly withdrawn: { conversation: string; sequence: number }[] = [];
  readonly bound: { readonly alias: SubjectKey; readonly to: SubjectKey; readonly by: string }[] = [];
  readonly forgotten: { conversation: string; sequence: number }[] = [];
  readonly early = new EarlyChanges();
  readonly starts = new Starts();
  readonly changedSubjects = new Set<string>();
  /** Receipts of changes that tie with what is known: their deliveries ask the provider. */
  readonly tied = new Set<number>();
  private readonly messages = new Map<string, Message>();
  private readonly delivered = new Set<string>();

  constructor(
    readonly now: number,
    readonly subjects: Map<string, Lifetime>,
    readonly aliases: Aliases,
    readonly conversations: Map<string, Locked>,
    private readonly about: ReadonlyMap<string, readonly string[]>,
  ) {}

  queues(): ReadonlyMap<string, Queue> {
    return new Map([...this.conversations].map(([id, { queue }]) => [id, queue]));
  }

  /** Their queues were changed. */
  touch(conversations: readonly string[]): void {
    for (const id of conversations) {
      const conversation = this.conversations.get(id);
      if (conversation) conversation.isTouched = true;
    }
  }

  lifeOf(subject: SubjectKey): Lifetime {
    return this.subjects.get(subjectText(subject)) ?? UNOBSERVED;
  }

  observe(subject: SubjectKey, seen: Observation, manner: Manner = 'event'): Reduction {
    const key = subjectText(subject);
    const reduction = reduce(this.lifeOf(subject), seen, manner);
    if ('lifetime' in reduction) {
      this.subjects.set(key, reduction.lifetime);
      this.changedSubjects.add(key);
    }
    return reduction;
  }

  /** The conversations about the subject that follow its life. */
  followers(subject: SubjectKey): Locked[] {
    return this.conversationsAbout(subject).filter((c) => c.row.lifecycle === 'follow');
  }

  /** An alias has the conversations of the subject that it is bound to. */
  conversationsAbout(subject: SubjectKey): Locked[] {
    return this.ownConversations(this.aliases.canonical(subject));
  }

  /** Those made in this very transaction too. */
  ownConversations(subject: SubjectKey): Locked[] {
    const stored = this.about.get(subjectText(subject)) ?? [];
    const made = [...this.conversations.values()]
      .filter((c) => c.isNew && subjectText(c.row) === subjectText(subject))
      .map((c) => c.row.id);
    const ids = [...new Set([...stored, ...made])].sort();
    return ids.flatMap((id) => this.conversations.get(id) ?? []);
  }

  /** The admission with its matches where the aliases of now lead. */
  placed(admission: Admission): Admission {
    return { ...admission, matches: admission.matches.map((match) => placedMatch(this.aliases, match, admission.event.org)) };
  }

  bind(alias: SubjectKey, to: SubjectKey, by: string): void {
    this.aliases.bind(alias, to);
    this.bound.push({ alias, to, by });
  }

  /** A conversation takes over what is known of its subject's life. */
  create(match: MadeBy, workspace: string, about: { title: string | null; url: string | null }): Locked {
    const { id, org, namespace, key, scope, scopeName } = match.conversation;
    const life = match.lifecycle === 'follow' ? this.lifeOf({ ...match.about, org }) : UNOBSERVED;
    const placed = { id, org, namespace, key, scope, scope_name: scopeName, lifecycle: match.lifecycle, route: match.route, workspace };
    const made: Locked = {
      row: { ...placed, ...life, tainted: 0, state: life.state ?? 'open' },
      queue: emptyQueue(id, org, workspace),
      isNew: true,
      ...about,
      ...unchanged(),
      isTouched: true,
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
    // There is nothing left that could be paused.
    queue.isPaused = false;
    this.completeMade(row.id, 'retired', queue.nextSequence - 1);
  }

  /** Ends the running turn; what it worked on is done with, and what waits behind it is next. */
  interrupt(conversation: Locked): void {
    const { queue, row, claimed } = conversation;
    const bounds = { from: queue.claimFrom ?? 0, to: queue.claimTo ?? 0 };
    conversation.interrupted ??= bounds;
    conversation.isTouched = true;
    this.completeMade(row.id, 'interrupted', bounds.to);
    letGo(queue);
    Object.assign(queue, { token: queue.token + 1, retryTo: null, head: bounds.to + 1 });
    Object.assign(queue, { open: queue.open - claimed.count, waking: queue.waking - claimed.waking });
    Object.assign(claimed, { count: 0, waking: 0 });
    wakeAt(queue, this.now);
  }

  /** Deliveries of this very transaction, and messages of any, up to a sequence: none before it is open. */
  private completeMade(conversation: string, outcome: Outcome, upTo: number): void {
    this.deliveries.forEach((delivery, i) => {
      const isOpen = delivery.conversation === conversation && delivery.outcome === null;
      if (!isOpen || delivery.sequence > upTo) return;
      this.deliveries[i] = { ...delivery, outcome: outcome === 'retired' && delivery.kind === 'lifecycle' ? 'superseded' : outcome };
    });
    for (const [key, message] of this.messages)
      if (key.startsWith(`${conversation} `) && message.sequence <= upTo && message.state !== 'completed')
        this.messages.set(key, { ...message, state: 'completed', outcome });
  }

  /** One of those just retired is kept after all, as all that is open now. */
  spare(conversation: Locked, sequence: number): number {
    conversation.spared = sequence;
    Object.assign(conversation.queue, { open: 1, waking: 1, head: sequence, readyAt: this.now });
    return sequence;
  }

  /** `own`: what the delivery says, if it has no text of its own. */
  deliver(conversation: Locked, { debounceMs, steers, ...delivery }: Arriving, own = ''): number {
    const { waking, wakeAt, held = false, receipt, messageKey, route, trust, text, textRevision } = delivery;
    const { queue, claimed } = conversation;
    const isHead = queue.open === 0;
    const joins = steers && takesMore(queue, delivery.trust);
    const sequence = append(queue, { waking, wakeAt, debounceMs, held }, this.now);
    conversation.isTouched = true;
    if (delivery.kind === 'prompt' && delivery.trust === 'untrusted') conversation.isTainted = true;
    if (joins) {
      join(queue, sequence);
      Object.assign(claimed, { count: claimed.count + 1, waking: claimed.waking + Number(waking) });
      conversation.isSteered = true;
    }
    this.deliveries.push({ ...delivery, conversation: conversation.row.id, sequence, outcome: null });
    this.rememberDelivered(receipt, conversation.row.id);
    if (messageKey === null) return sequence;
    const state = joins ? 'claimed' : 'waiting';
    const message: Message = { sequence, state, outcome: null, isHead, waking, route, trust, text: text ?? own, textRevision };
    this.rememberMessage(conversation.row.id, messageKey, message);
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

  /** A message that is not completed becomes another, in its place. */
  amend(conversation: Locked, key: string, message: Message, to: Amendment): void {
    const { queue, row } = conversation;
    this.rewrite(row.id, message.sequence, to, () => this.amended.push({ conversation: row.id, sequence: message.sequence, to }));
    this.rememberMessage(row.id, key, { ...message, ...to });
    if (to.trust === 'untrusted') Object.assign(conversation, { isTainted: true, isTouched: true });
    if (!to.waking || message.waking) return;
    queue.waking += 1;
    conversation.isTouched = true;
    if (message.state === 'claimed') conversation.claimed.waking += 1;
    wakeAt(queue, this.now);
  }

  withdraw(conversation: Locked, key: string, message: Message): void {
    const { queue, row } = conversation;
    const place = { conversation: row.id, sequence: message.sequence };
    this.rewrite(row.id, message.sequence, { outcome: 'withdrawn' }, () => this.withdrawn.push(place));
    drop(queue, message, this.now);
    conversation.isTouched = true;
    this.rememberMessage(row.id, key, { ...message, state: 'completed', outcome: 'withdrawn' });
  }

  /** The message is to go on under a further delivery. */
  forget(conversation: Locked, message: Message): void {
    this.forgotten.push({ conversation: conversation.row.id, sequence: message.sequence });
  }

  /** Of a delivery that is not stored yet the row itself is another. */
  private rewrite(conversation: string, sequence: number, to: Partial<NewDelivery>, ofStored: () => void): void {
    const index = this.deliveries.findIndex((d) => d.conversation === conversation && d.sequence === sequence);
    const made = this.deliveries[index];
    if (made) this.deliveries[index] = { ...made, ...to };
    else ofStored();
  }
}

export function placedMatch(aliases: Aliases, match: PlannedMatch, org: string): PlannedMatch {
  if (match.scope === null) return match;
  const subject = { ...match.about, org };
  return aliases.isAlias(subject) ? { ...match, conversation: identify(org, aliases.canonical(subject), match.scope) } : match;
}
