import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

/** What a person did to a conversation, or may have done: a request that was cut off may have been carried out. */
export interface Deed {
  readonly verb: Verb;
  readonly conversation: string;
  readonly from: number;
  readonly to: number;
}

export const VERBS = ['stop', 'abandon', 'skip', 'retry', 'reset', 'pause'] as const;
export type Verb = (typeof VERBS)[number] | 'resume';

const ON_CONVERSATIONS: readonly Verb[] = ['stop', 'reset', 'pause', 'resume'];
const TIMEOUT_MS = 10_000;
const TRIES = 50;

/** A person with the REST API, whose requests are repeated under their key until they are answered. */
export class Operator {
  readonly deeds: Deed[] = [];
  readonly faults: string[] = [];

  constructor(
    private readonly urls: () => readonly string[],
    private readonly token: string,
  ) {}

  async act(verb: Verb, { conversation, delivery }: { conversation: string; delivery: string }): Promise<void> {
    const thing = ON_CONVERSATIONS.includes(verb) ? `conversations/${conversation}` : `deliveries/${delivery}`;
    const from = Date.now();
    const key = randomUUID();
    let status: number | null = null;
    for (let tried = 0; tried < TRIES && status === null; tried++) {
      status = await this.post(`/v1/${thing}/${verb}`, key, tried);
      if (status === null) await pause(100);
    }
    this.deeds.push({ verb, conversation, from, to: Date.now() });
    this.check(verb, delivery, status);
  }

  /** Ends a pause for certain. Each try has a key of its own: a repeated one could be answered with an earlier result. */
  async resume(place: { conversation: string; delivery: string }, giveUp: AbortSignal): Promise<void> {
    const from = Date.now();
    let status: number | null = null;
    for (let tried = 0; status === null && !giveUp.aborted; tried++) {
      status = await this.post(`/v1/conversations/${place.conversation}/resume`, randomUUID(), tried);
      if (status === null) await pause(200);
    }
    this.deeds.push({ verb: 'resume', conversation: place.conversation, from, to: Date.now() });
    this.check('resume', place.delivery, status);
  }

  private check(verb: Verb, delivery: string, status: number | null): void {
    if (status !== null && status >= 400 && status !== 409) this.faults.push(`${verb} of ${delivery} was answered ${status}`);
  }

  private async post(address: string, key: string, tried: number): Promise<number | null> {
    const urls = this.urls();
    try {
      const response = await fetch(`${urls[tried % urls.length]}${address}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${this.token}`, 'idempotency-key': key, 'content-type': 'application/json' },
        body: '{}',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.body?.cancel();
      return response.status >= 500 ? null : response.status;
    } catch {
      return null;
    }
  }
}
