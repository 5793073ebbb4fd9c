import { ProviderFault } from 'throughline/plugin';
import { at, lineAt } from './github.shape.js';

/** Why GitHub does not let us in at all, whatever is asked of it. */
export type Barrier = 'token_refused' | 'key_refused' | 'suspended' | 'not_installed';

interface RefusalOptions extends ErrorOptions {
  readonly barrier?: Barrier;
}

/** GitHub refused, or was surely not reached: nothing was written. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly barrier: Barrier | null;

  constructor(
    /** Null: it was not reached. */
    readonly status: number | null,
    /** What GitHub said. */
    readonly reason: string,
    /** How long it wants to be left alone. */
    readonly retryAfterMs: number | null = null,
    options: RefusalOptions = {},
  ) {
    super(status === null ? `GitHub: ${reason}` : `GitHub answered ${status}: ${reason}`, options);
    this.barrier = options.barrier ?? null;
  }
}

const PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** What a person does about it. */
export function stepAt(barrier: Barrier, connection: string): string {
  switch (barrier) {
    case 'token_refused':
      return `put a valid token into connections.${connection}`;
    case 'key_refused':
      return `put the App's id and a private key that it has now into connections.${connection}.app`;
    case 'suspended':
      return 'the installation of the App is suspended; whoever installed it can unsuspend it in its settings at GitHub';
    case 'not_installed':
      return 'install the App there, or give its installation access to the repository';
  }
}

/** The same in the host's words: whether it passes by itself, and what a person does where it does not. */
export function faultOf(refusal: Refusal, connection: string): ProviderFault {
  const { status, retryAfterMs, message, barrier } = refusal;
  const isPassing = status === null || retryAfterMs !== null;
  const kind = isPassing ? 'transient' : barrier !== null || status === 401 || status === 403 ? 'unauthorized' : 'permanent';
  const told = barrier === null ? message : `${message}; ${stepAt(barrier, connection)}`;
  return new ProviderFault(told, kind, retryAfterMs, { cause: refusal });
}

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
