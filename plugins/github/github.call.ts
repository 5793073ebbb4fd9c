import { type Connection, OutcomeUnknown } from 'throughline/plugin';
import { type Access, accessOf, type Credential, type Whom } from './github.access.js';
import { shutOut } from './github.app.js';
import type { GithubConnection } from './github.options.js';
import { Refusal, refusalOf } from './github.refusal.js';
import { at } from './github.shape.js';

/** A read that fails changed nothing, whatever happened to it; of a write nobody knows then. */
export type Doing = 'read' | 'write';

export interface Answered {
  readonly data: unknown;
  /** Where the answer came from: an issue that was transferred leads to its new place. */
  readonly url: string;
  /** Address of the next page of a list; null: it has none. */
  readonly next: string | null;
  /** What time it is there, in milliseconds. */
  readonly now: number;
}

export interface Question {
  readonly doing: Doing;
  readonly route: string;
  readonly values: Readonly<Record<string, unknown>>;
}

const NEVER_CONNECTED: ReadonlySet<unknown> = new Set(
  'ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH UND_ERR_CONNECT_TIMEOUT CERT_HAS_EXPIRED DEPTH_ZERO_SELF_SIGNED_CERT'.split(
    ' ',
  ),
);

/** A call about a repository by its id, which no renaming changes. As `askGithub`. */
export function callGithub(
  doing: Doing,
  route: string,
  values: Readonly<Record<string, unknown>> & { readonly repository: number },
  connection: Connection<GithubConnection>,
  signal: AbortSignal,
): Promise<Answered> {
  return askGithub(`/repositories/${values.repository}`, { doing, route, values }, connection, signal);
}

/**
 * One call of GitHub's REST API. Throws a `Refusal` when surely nothing was written, else `OutcomeUnknown`. A token that was taken back, or
 * one of a clock that goes wrong, is made anew, once: whoever was not let in has written nothing.
 */
export async function askGithub(
  whom: Whom,
  question: Question,
  connection: Connection<GithubConnection>,
  signal: AbortSignal,
): Promise<Answered> {
  const access = accessOf(connection);
  const ask = async (anew: boolean) => askWithin(access, await access.credential(whom, anew), question, signal);
  try {
    return await ask(false);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status === 404) access.forget(whom);
    if (error.status !== 401) throw error;
    if (!access.canRenew) throw new Refusal(401, error.reason, null, { cause: error, barrier: 'token_refused' });
    return await ask(true).catch((again: unknown) => {
      throw again instanceof Refusal && again.status === 401 ? shutOut(again) : again;
    });
  }
}

async function askWithin(access: Access, credential: Credential, question: Question, signal: AbortSignal): Promise<Answered> {
  const { doing, route, values } = question;
  access.checkQuiet(credential);
  // GitHub's own permanent redirects would make a read of a write.
  const redirect = doing === 'write' ? 'manual' : 'follow';
  try {
    const api = await access.api();
    return await asked(access, doing, signal, async (fetch) => {
      const headers = { ...(values['headers'] ?? {}), authorization: credential.authorization };
      const { data, url, status, headers: told } = await api.request(route, { ...values, headers, request: { fetch, redirect } });
      if (status >= 300) throw new Refusal(status, 'it was moved elsewhere');
      const next = /<([^>]+)>;\s*rel="next"/.exec(told.link ?? '')?.[1] ?? null;
      return { data, url, next, now: access.now() };
    });
  } catch (error) {
    if (error instanceof Refusal && error.retryAfterMs !== null) access.keepQuiet(credential, error.retryAfterMs);
    throw error;
  }
}

/** Does `work` with a fetch that has an end, and says of its failure whether something may have been written. */
async function asked<T>(
  access: Access,
  doing: Doing,
  signal: AbortSignal,
  work: (fetch: typeof globalThis.fetch) => Promise<T>,
): Promise<T> {
  let failure: unknown;
  const fetchWithin: typeof globalThis.fetch = (url, init) =>
    access.fetch(url, init, [signal]).catch((error: unknown) => {
      failure = error;
      throw error;
    });
  try {
    return await work(fetchWithin);
  } catch (error) {
    const refusal = error instanceof Refusal ? error : refusalOf(error);
    if (refusal) throw refusal;
    if (doing === 'read' || neverConnected(failure)) throw new Refusal(null, 'it could not be reached', null, { cause: error });
    throw new OutcomeUnknown('the write may have reached GitHub, and nothing says what came of it', { cause: error });
  }
}

function neverConnected(error: unknown): boolean {
  return NEVER_CONNECTED.has(codeOf(error)) || NEVER_CONNECTED.has(at({ error }, 'error.code'));
}

/** `fetch failed` says why in its cause. */
function codeOf(error: unknown): unknown {
  return (error as { readonly cause?: { readonly code?: unknown } } | undefined)?.cause?.code;
}
