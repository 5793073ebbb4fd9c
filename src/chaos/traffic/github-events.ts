import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type SignedRequest, signedRequest } from '../../cli/signing/signed-request.js';
import { packageFolder } from '../../demo/package-folder.js';

export type EventKind = 'comment' | 'closed' | 'reopened';

/** An event of a provider, as often as it may be sent. */
export interface ChaosEvent {
  /** The provider's id of the delivery. It also stands in the text of a comment, where agents find it. */
  readonly id: string;
  readonly kind: EventKind;
  /** Number of the issue. */
  readonly subject: number;
  /** Grows with every event of its subject: the provider's revision, in seconds. */
  readonly tick: number;
  /** Whether the issue is open after it. */
  readonly isOpen: boolean;
}

interface Recorded {
  action: string;
  issue: { number: number; state: string; title: string; updated_at: string };
  comment?: { id: number; body: string };
  repository: unknown;
}

const FILES: Readonly<Record<EventKind, string>> = {
  comment: 'issue_comment/created.json',
  closed: '_constructed/issues.closed.completed.json',
  reopened: 'issues/reopened.json',
};
const EPOCH_MS = Date.UTC(2026, 0, 1);
const MOST_EVENTS = 1_000_000;

/** Most of a recorded event is addresses of the API, which nobody reads: without them it is a third as long. */
function withoutLinks(key: string, value: unknown): unknown {
  return key.endsWith('_url') && key !== 'html_url' ? undefined : value;
}

/** Recorded GitHub events, made to be about whatever chaos wants them to be about. */
export class GithubEvents {
  private readonly recorded: Readonly<Record<EventKind, Recorded>>;

  constructor(private readonly secret: string) {
    const read = (kind: EventKind) =>
      JSON.parse(readFileSync(path.join(packageFolder(), 'test/fixtures/github', FILES[kind]), 'utf8'), withoutLinks) as Recorded;
    this.recorded = { comment: read('comment'), closed: read('closed'), reopened: read('reopened') };
  }

  /** As GitHub signs and sends it; the same bytes each time. */
  request({ id, kind, subject, tick, isOpen }: ChaosEvent): SignedRequest {
    const event = structuredClone(this.recorded[kind]);
    event.repository = this.recorded.comment.repository;
    event.issue.number = subject;
    event.issue.title = `Chaos ${subject}`;
    event.issue.state = isOpen ? 'open' : 'closed';
    event.issue.updated_at = new Date(EPOCH_MS + tick * 1000).toISOString();
    if (event.comment) {
      event.comment.id = subject * MOST_EVENTS + tick;
      event.comment.body = `Please look at ${id}`;
    }
    const name = kind === 'comment' ? 'issue_comment' : 'issues';
    return signedRequest('github', { body: JSON.stringify(event), secret: this.secret, event: name, deliveryId: id });
  }
}
