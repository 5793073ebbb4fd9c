import { setTimeout as delay } from 'node:timers/promises';
import { NotFound, OutcomeUnknown, ProviderFault } from '../../../plugin/index.js';
import { SandboxRefused } from '../sandbox-kind.js';

export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  /** How people are told of it; never the address, which may hold a key. */
  readonly what: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | FormData;
  readonly timeoutMs: number;
}

/** How to go on where too much was asked. */
export interface Patience {
  readonly tries: number;
  readonly firstMs: number;
  readonly mostMs: number;
}

export const PATIENCE: Patience = { tries: 5, firstMs: 10_000, mostMs: 60_000 };

const LIMIT_REACHED = 'CONCURRENCY_LIMIT_REACHED';
const LONGEST_ANSWER = 4 * 1024 ** 2;

/**
 * Asks once, and again where too much was asked. Throws `NotFound` (404), `SandboxRefused` (no more sandboxes, or a wrong key),
 * `ProviderFault` where nothing was done, and `OutcomeUnknown` where something may have been.
 */
export async function callApi(call: ApiCall, patience: Patience, signal: AbortSignal): Promise<unknown> {
  for (let tried = 1; ; tried++) {
    const { status, retryAfterMs, text } = await ask(call, signal);
    if (status >= 200 && status < 300) return parsed(call, text);
    if (status === 429 && isLimit(text))
      throw new SandboxRefused(`${call.what}: the account may have no more sandboxes now (${LIMIT_REACHED})`, 'skipped');
    if (status !== 429 || tried >= patience.tries) throw refusal(call, status);
    const pauseMs = Math.min(patience.firstMs * 2 ** (tried - 1), patience.mostMs);
    await delay(Math.min(Math.max(pauseMs, retryAfterMs), patience.mostMs), undefined, { signal });
  }
}

interface Answer {
  readonly status: number;
  readonly retryAfterMs: number;
  readonly text: string;
}

async function ask({ method, url, what, headers, body, timeoutMs }: ApiCall, signal: AbortSignal): Promise<Answer> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const response = await fetch(url, { method, headers, redirect: 'error', signal: limit, ...(body === undefined ? {} : { body }) });
    const seconds = Number(response.headers.get('retry-after') ?? 0);
    return { status: response.status, retryAfterMs: seconds > 0 ? seconds * 1000 : 0, text: await textOf(response) };
  } catch (cause) {
    signal.throwIfAborted();
    const said = `${what}: no answer`;
    throw method === 'GET' ? new ProviderFault(said, 'transient', null, { cause }) : new OutcomeUnknown(said, { cause });
  }
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > LONGEST_ANSWER) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** What the server says besides is left out: it may repeat what was sent. */
function refusal({ method, what }: ApiCall, status: number): Error {
  const said = `${what}: answered ${status}`;
  if (status === 404) return new NotFound(said);
  if (status === 401 || status === 403) return new SandboxRefused(`${said}; check the apiKey of the runtime`);
  if (status === 429 || status === 503) return new ProviderFault(said, 'transient');
  if (status < 500) return new ProviderFault(said, 'permanent');
  return method === 'GET' ? new ProviderFault(said, 'transient') : new OutcomeUnknown(said);
}

function isLimit(text: string): boolean {
  try {
    const answer = JSON.parse(text) as { readonly error?: unknown; readonly detail?: { readonly error?: unknown } | null } | null;
    return answer?.error === LIMIT_REACHED || answer?.detail?.error === LIMIT_REACHED;
  } catch {
    return false;
  }
}

function parsed({ what }: ApiCall, text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ProviderFault(`${what}: answered with something that is not JSON`, 'permanent', null, { cause });
  }
}
