import { setTimeout as pause } from 'node:timers/promises';
import type { Seeded } from '../../testing/host/seeded.js';
import type { ChaosEvent, EventKind } from './github-events.js';
import { type Operator, VERBS } from './operator.js';
import type { Sender, Sent } from './sender.js';

/** Calm: comments alone, so that every one of them must reach an agent. Ending: closed and reopened. Operated: a person interferes. */
export type Temper = 'calm' | 'ending' | 'operated';

export function temperOf(subject: number): Temper {
  const place = subject % 10;
  if (place < 6) return 'calm';
  return place < 8 ? 'ending' : 'operated';
}

const MOST_WAITING = 25;
const LONGEST_PAUSE_MS = 1500;
const PACE_MS = [10, 250] as const;

/** One subject of the provider, whose events happen one after the other, or a few at once. */
export class Subject {
  private isOpen = true;
  private tick = 0;
  private readonly waiting = new Set<string>();
  private readonly sent: Sent[] = [];
  private readonly temper: Temper;

  constructor(
    private readonly number: number,
    private readonly sender: Sender,
    private readonly operator: Operator,
    private readonly chance: Seeded,
  ) {
    this.temper = temperOf(number);
  }

  /** An agent has handled it. */
  handled(id: string): void {
    this.waiting.delete(id);
  }

  /** Things happen to it until the signal aborts. Never so many that the agents cannot follow. */
  async live(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(this.chance.between(...PACE_MS));
      if (this.waiting.size < MOST_WAITING) await this.happen();
    }
  }

  private happen(): Promise<unknown> {
    const drawn = this.chance.next();
    const [last] = this.sent.slice(-1);
    if (this.temper === 'ending' && (drawn < 0.06 || (!this.isOpen && drawn < 0.5)))
      return this.change(this.isOpen ? 'closed' : 'reopened');
    if (this.temper === 'operated' && drawn < 0.15 && last?.answer) return this.interfere(last);
    if (drawn < 0.6) return this.comment();
    if (drawn < 0.75) return this.comment(this.chance.between(2, 3));
    if (drawn < 0.9) return Promise.all([this.comment(), this.comment(), this.comment(2)]);
    const earlier = this.sent[this.chance.between(0, this.sent.length - 1)];
    return earlier ? this.sender.sendAgain(earlier) : this.comment();
  }

  private async comment(atOnce = 1): Promise<void> {
    const sent = await this.deliver('comment', atOnce);
    if (this.isOpen) this.waiting.add(sent.event.id);
  }

  private async change(kind: 'closed' | 'reopened'): Promise<void> {
    this.isOpen = kind === 'reopened';
    await this.deliver(kind, this.chance.between(1, 2));
    this.waiting.clear();
  }

  private async interfere({ answer }: Sent): Promise<void> {
    const [delivery] = answer?.deliveries ?? [];
    if (!delivery) return;
    const verb = this.chance.pick(VERBS);
    await this.operator.act(verb, delivery);
    if (verb === 'pause') {
      await Promise.all([this.comment(), pause(this.chance.between(0, LONGEST_PAUSE_MS))]);
      await this.operator.resume(delivery, this.sender.giveUp);
    }
    this.waiting.clear();
  }

  private async deliver(kind: EventKind, atOnce: number): Promise<Sent> {
    this.tick += 1;
    const event: ChaosEvent = { id: `chaos-${this.number}-${this.tick}`, kind, subject: this.number, tick: this.tick, isOpen: this.isOpen };
    const sent = await this.sender.send(event, atOnce);
    this.sent.push(sent);
    return sent;
  }
}
