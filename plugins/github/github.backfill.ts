import {
  type Backfill,
  type Connection,
  type EventSink,
  InvalidInput,
  type Page,
  type PollTransport,
  type ProviderEvent,
} from 'throughline/plugin';
import { type Attempt, eventOf, type Hook, hookOf, missedSince } from './github.deliveries.js';
import type { GithubConnection } from './github.options.js';
import { faultOf, Refusal } from './github.refusal.js';

type Github = Connection<GithubConnection>;

/** The clocks of GitHub and of the database need not agree. */
const CLOCKS_APART_MS = 5 * 60_000;
/** An attempt may end after a later one; before that it is in no list. */
const SETTLING_MS = 60_000;
/** As many as the host takes. */
const MOST_EVENTS = 10_000;
const MOST_OF_A_PAGE = 50;

/**
 * Looks through the deliveries of the webhook for those that nobody took, and fetches what they brought. Fetched, not asked to be sent again:
 * it works while GitHub cannot reach the server, keeps the order, tells at once how it went, and only reads.
 */
export class GithubBackfill implements Backfill<GithubConnection> {
  private readonly startedAt = Date.now();

  usedBy(connection: Github): boolean {
    return hookOf(connection) !== null;
  }

  async since(connection: Github, mark: Date, sink: EventSink, signal: AbortSignal): Promise<void> {
    const hook = hookOf(connection);
    if (hook === null) return;
    await told(hook, connection, async () => {
      const isTaken = (attempt: Attempt) => attempt.isTaken && !this.isForgotten(attempt, mark.getTime());
      const { missed } = await missedSince(hook, mark.getTime() - CLOCKS_APART_MS, isTaken, connection, signal);
      for (const attempt of missed.slice(0, MOST_EVENTS)) {
        const event = await eventOf(hook, attempt, connection, signal);
        if (event !== null) await sink.accept(event).catch(unlessMalformed);
      }
    });
  }

  /** It was answered after the last event that is stored, and before this process began: by a store that is not here any more. */
  private isForgotten({ at }: Attempt, mark: number): boolean {
    return at > mark + CLOCKS_APART_MS && at < this.startedAt - CLOCKS_APART_MS;
  }
}

/**
 * Looks every few minutes for deliveries that failed while the server ran: its proxy was away, its store was down. GitHub sends none of them
 * again. What failed before the first look is asked for by the backfill.
 */
export class GithubWatch implements PollTransport<GithubConnection> {
  readonly kind = 'poll';
  readonly intervalMs = 5 * 60_000;
  readonly timeoutMs = 5 * 60_000;
  private readonly startedAt = Date.now();

  usedBy(connection: Github): boolean {
    return hookOf(connection) !== null;
  }

  /** The cursor is up to when, by GitHub's clock, was looked. */
  async poll(connection: Github, cursor: string | null, signal: AbortSignal): Promise<Page> {
    const hook = hookOf(connection);
    const from = cursor === null ? this.startedAt - CLOCKS_APART_MS : Number(cursor);
    const nothing = { events: [], cursor: String(from) };
    if (hook === null) return nothing;
    return told(hook, connection, async () => this.look(hook, from, connection, signal)).then((page) => page ?? nothing);
  }

  private async look(hook: Hook, from: number, connection: Github, signal: AbortSignal): Promise<Page> {
    const { missed, now } = await missedSince(hook, from + 1, ({ isTaken }) => isTaken, connection, signal);
    const until = Math.max(from, now - SETTLING_MS);
    const settled = missed.filter(({ at }) => at <= until);
    const last = settled[MOST_OF_A_PAGE - 1]?.at ?? until;
    const events: ProviderEvent[] = [];
    for (const attempt of settled) {
      const event = attempt.at <= last ? await eventOf(hook, attempt, connection, signal) : null;
      if (event !== null) events.push(event);
    }
    return { events, cursor: String(last), more: last < until };
  }
}

/** Null: an App without a webhook has no deliveries, and nothing says that it should have one. */
async function told<Result>(hook: Hook, connection: Github, work: () => Promise<Result>): Promise<Result | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status !== 404 || hook.ending === null) throw faultOf(error, connection.name);
    return null;
  }
}

/** What no store would take is not asked for again for ever; GitHub goes on showing it as failed. */
function unlessMalformed(error: unknown): void {
  if (!(error instanceof InvalidInput)) throw error;
}
