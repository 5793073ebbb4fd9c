import { setTimeout as pause } from 'node:timers/promises';
import type { SignedRequest } from '../../cli/signing/signed-request.js';
import type { AdmissionAnswer } from '../../core/admission/event.js';
import type { Seeded } from '../../testing/host/seeded.js';
import type { ChaosEvent, GithubEvents } from './github-events.js';

/** An event that the producer sent, and what it was told. */
export interface Sent {
  readonly event: ChaosEvent;
  /** By the producer's clock: when it was first sent, and when it was first answered 2xx. */
  readonly sentAt: number;
  acceptedAt: number | null;
  answer: AdmissionAnswer | null;
  posts: number;
}

export interface Counts {
  posts: number;
  /** Posts that were cut off, refused a connection, timed out or answered 5xx. */
  unanswered: number;
  duplicates: number;
}

const TIMEOUT_MS = 10_000;
const FIRST_PAUSE_MS = 40;
const LONGEST_PAUSE_MS = 640;

/** Sends as a provider does: every event again and again until it is answered 2xx. */
export class Sender {
  readonly sent: Sent[] = [];
  readonly faults: string[] = [];
  readonly counts: Counts = { posts: 0, unanswered: 0, duplicates: 0 };

  /** Resolves when the first of all is accepted. */
  readonly begun: Promise<void>;
  private onFirst = () => {};

  constructor(
    /** Addresses of the servers, whichever of them live. */
    private readonly urls: () => readonly string[],
    private readonly events: GithubEvents,
    private readonly chance: Seeded,
    /** Gives up: what is not accepted by then never will be. */
    readonly giveUp: AbortSignal,
  ) {
    this.begun = new Promise((resolve) => {
      this.onFirst = resolve;
    });
  }

  /** Sends the event, in as many posts at once, until one of them is accepted. */
  async send(event: ChaosEvent, atOnce = 1): Promise<Sent> {
    const sent: Sent = { event, sentAt: Date.now(), acceptedAt: null, answer: null, posts: 0 };
    this.sent.push(sent);
    await Promise.all(Array.from({ length: atOnce }, () => this.untilAccepted(sent)));
    return sent;
  }

  /** Sends once more what was accepted before. */
  async sendAgain(sent: Sent): Promise<void> {
    await this.untilAccepted(sent);
  }

  private async untilAccepted(sent: Sent): Promise<void> {
    const request = this.events.request(sent.event);
    for (let pauseMs = FIRST_PAUSE_MS; !this.giveUp.aborted; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
      const answer = await this.post(sent.event.id, request);
      sent.posts += 1;
      if (answer === 'refused') return;
      if (answer !== null) return this.take(sent, answer);
      await pause(pauseMs);
    }
  }

  /** The first answer counts; every later one must say the same. */
  private take(sent: Sent, answer: AdmissionAnswer): void {
    if (answer.duplicate) this.counts.duplicates += 1;
    if (sent.answer === null) {
      sent.answer = answer;
      sent.acceptedAt = Date.now();
      this.onFirst();
      return;
    }
    const [first, second] = [sent.answer, answer].map(({ receipt, deliveries }) =>
      JSON.stringify([receipt, deliveries.map((d) => d.delivery)]),
    );
    if (first !== second) this.faults.push(`${sent.event.id} was answered ${first}, and later ${second}`);
  }

  /** Null: it was not answered, or not with 2xx, and is to be sent again. */
  private async post(id: string, { headers, body }: SignedRequest): Promise<AdmissionAnswer | 'refused' | null> {
    this.counts.posts += 1;
    const urls = this.urls();
    const url = urls[this.chance.between(0, urls.length - 1)] ?? '';
    try {
      const response = await fetch(`${url}/v1/events/default/gh`, {
        method: 'POST',
        headers,
        body: new Uint8Array(body),
        signal: AbortSignal.any([this.giveUp, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      const text = await response.text();
      if (response.ok) return JSON.parse(text) as AdmissionAnswer;
      if (response.status < 500 && response.status !== 429) {
        this.faults.push(`${id} was refused: ${response.status} ${text.slice(0, 300)}`);
        return 'refused';
      }
    } catch {
      // Cut off, or nobody there: whether it was accepted is what a provider cannot know.
    }
    this.counts.unanswered += 1;
    return null;
  }
}
