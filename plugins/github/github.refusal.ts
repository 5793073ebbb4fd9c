import { at, lineAt } from './github.shape.js';

/** GitHub refused, or was surely not reached: nothing was written. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    /** Null: it was not reached. */
    readonly status: number | null,
    /** What GitHub said. */
    readonly reason: string,
    /** How long it wants to be left alone. */
    readonly retryAfterMs: number | null = null,
    options?: ErrorOptions,
  ) {
    super(status === null ? `GitHub: ${reason}` : `GitHub answered ${status}: ${reason}`, options);
  }
}

const PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** What an error of the SDK says for sure; null: the answer got lost, or GitHub broke. */
export function refusalOf(error: unknown): Refusal | null {
  const response = at({ ...(error as object) }, 'response');
  const status = at({ ...(error as object) }, 'status');
  if (typeof status !== 'number' || response === undefined || status >= 500 || status < 400) return null;
  const said = lineAt(response, 'data.message', 300) ?? 'no reason';
  const details = at(response, 'data.errors');
  const reason = Array.isArray(details) && details.length > 0 ? `${said} (${detailOf(details[0])})` : said;
  return new Refusal(status, reason, pauseOf(status, at(response, 'headers'), said), { cause: error });
}

function detailOf(detail: unknown): string {
  return lineAt(detail, 'message') ?? lineAt(detail, 'code') ?? (typeof detail === 'string' ? detail.slice(0, 200) : 'no detail');
}

/** GitHub tells a limit by 429 or 403, with `retry-after`, or with an empty budget and when it is filled, or in words alone. */
function pauseOf(status: number, headers: unknown, said: string): number | null {
  if (status !== 403 && status !== 429) return null;
  const [after, left, reset] = ['retry-after', 'x-ratelimit-remaining', 'x-ratelimit-reset'].map((name) => lineAt(headers, name));
  if (after && /^\d+$/.test(after)) return bounded(Number(after) * 1000);
  if (left === '0' && reset && /^\d+$/.test(reset)) return bounded(Number(reset) * 1000 - Date.now());
  return status === 429 || /rate limit/i.test(said) ? PAUSE_MS : null;
}

function bounded(ms: number): number {
  return Math.min(Math.max(ms, 1000), LONGEST_PAUSE_MS);
}
