import { type Connection, OutcomeUnknown, ProviderFault } from 'throughline/plugin';
import { type Fields, fields, list, word } from './json.js';
import type { LinearConnection } from './linear.options.js';

/** A read that fails changed nothing, whatever happened to it; of a write nobody knows then. */
export type Doing = 'read' | 'write';

/** Linear refused, or was surely not reached: nothing was written. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly kind: 'rate_limited' | 'unauthorized' | 'not_found' | 'invalid' | 'away',
    message: string,
    readonly retryAfterMs: number | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const PATIENCE_MS = 15_000;
const PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** Linear's kinds of errors by which it says that it did nothing. Others (`InternalError`, `NetworkError`, `LockTimeout`) say nothing. */
const KINDS: ReadonlyMap<unknown, Refusal['kind']> = new Map([
  ['Ratelimited', 'rate_limited'],
  ['UsageLimitExceeded', 'rate_limited'],
  ['AuthenticationError', 'unauthorized'],
  ['Forbidden', 'unauthorized'],
  ['FeatureNotAccessible', 'unauthorized'],
  ['InvalidInput', 'invalid'],
  ['UserError', 'invalid'],
  ['GraphqlError', 'invalid'],
]);

/** One document of Linear's GraphQL API, without retries. Throws a `Refusal` when surely nothing was written, else `OutcomeUnknown`. */
export async function askLinear(
  doing: Doing,
  document: string,
  values: Fields,
  { options }: Connection<LinearConnection>,
  signal: AbortSignal,
): Promise<Fields> {
  const { LinearClient } = await import('@linear/sdk');
  const token = options.token ?? '';
  const { client } = new LinearClient({
    ...(token.startsWith('lin_api_') ? { apiKey: token } : { accessToken: token }),
    ...(options.apiUrl !== undefined && { apiUrl: endpointOf(options.apiUrl) }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
    redirect: 'error',
  });
  try {
    const { data } = await client.rawRequest<Fields, Record<string, unknown>>(document, { ...values });
    return data ?? {};
  } catch (error) {
    throw refusalOf(error) ?? lost(doing, error);
  }
}

/** A question for the host. Null: Linear knows no such thing, or not for this account. Throws `ProviderFault`. */
export async function readLinear(
  document: string,
  values: Fields,
  connection: Connection<LinearConnection>,
  signal: AbortSignal,
): Promise<Fields | null> {
  try {
    return await askLinear('read', document, values, connection, signal);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.kind === 'not_found') return null;
    throw faultOf(error, connection.name);
  }
}

/** How the host is to take a refusal: as one that passes, or one that a person has to mend. */
export function faultOf(refusal: Refusal, connection: string): ProviderFault {
  const { kind, message, retryAfterMs } = refusal;
  const step = kind === 'unauthorized' ? `; see to connections.${connection}.token` : '';
  const isPassing = kind === 'rate_limited' || kind === 'away';
  const how = isPassing ? 'transient' : kind === 'unauthorized' ? kind : 'permanent';
  return new ProviderFault(`${message}${step}`, how, retryAfterMs, { cause: refusal });
}

function endpointOf(apiUrl: string): string {
  const base = apiUrl.replace(/\/+$/, '');
  return base.endsWith('/graphql') ? base : `${base}/graphql`;
}

function refusalOf(error: unknown): Refusal | null {
  const { type, errors, raw } = fields(error) ?? {};
  const said = word(list(errors)[0]?.message) ?? 'it was refused';
  const kind = /entity not found/i.test(said) ? 'not_found' : KINDS.get(type);
  if (kind === undefined) return null;
  const pause = kind === 'rate_limited' ? pauseOf(fields(fields(raw)?.response)?.headers) : null;
  return new Refusal(kind, `Linear: ${said.slice(0, 300)}`, pause, { cause: error });
}

function lost(doing: Doing, error: unknown): Error {
  const code = fields(fields(error)?.cause)?.code;
  const isSurelyUnsent = code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'UND_ERR_CONNECT_TIMEOUT';
  if (doing === 'read' || isSurelyUnsent) return new Refusal('away', 'Linear could not be reached', null, { cause: error });
  return new OutcomeUnknown('the write may have reached Linear, and nothing says what came of it', { cause: error });
}

/** Linear names the instant at which its budget is full again, in milliseconds. */
function pauseOf(headers: unknown): number {
  const named = (headers as Headers | undefined)?.get?.('x-ratelimit-requests-reset') ?? '';
  if (!/^\d{1,15}$/.test(named)) return PAUSE_MS;
  return Math.min(Math.max(Number(named) - Date.now(), 1000), LONGEST_PAUSE_MS);
}
