import type { SocketModeClient } from '@slack/socket-mode';
import type { WebClientOptions } from '@slack/web-api';
import { ChannelFault, type Connection, OutcomeUnknown } from 'throughline/plugin';
import { type Fields, fields, word } from './json.js';
import { faultNamed } from './slack.faults.js';
import type { SlackConnection } from './slack.options.js';

/** A read that fails changed nothing, whatever happened to it; of a write nobody knows then. */
export type Doing = 'read' | 'write';

const PATIENCE_MS = 15_000;
const PAUSE_WITHOUT_HEADER_S = '30';

/** Failures before a connection stood: nothing was sent. */
const NEVER_CONNECTED: ReadonlySet<unknown> = new Set(
  'ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH UND_ERR_CONNECT_TIMEOUT CERT_HAS_EXPIRED DEPTH_ZERO_SELF_SIGNED_CERT'.split(
    ' ',
  ),
);

/** The SDK's own log would write beside the server's; what it has to say is in its errors. */
const SILENT: NonNullable<WebClientOptions['logger']> = {
  ...{ debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  ...{ setLevel: () => undefined, setName: () => undefined },
  getLevel: () => 'error' as ReturnType<NonNullable<WebClientOptions['logger']>['getLevel']>,
};

/** Once, and nowhere else than at the configured server. */
const CAREFUL = { retryConfig: { retries: 0 }, rejectRateLimitedCalls: true, allowAbsoluteUrls: false } as const;

export type { SocketModeClient } from '@slack/socket-mode';

/** One call of Slack's Web API, without retries: the host's outbox has them. Throws a `ChannelFault`, or else nobody knows what was written. */
export async function callSlack(
  doing: Doing,
  method: string,
  values: Fields,
  { options, name }: Connection<SlackConnection>,
  signal: AbortSignal,
): Promise<Fields> {
  const { WebClient } = await import('@slack/web-api');
  // The SDK keeps of a failed request its message alone, where the failure is none of its own.
  let failure: unknown;
  const client = new WebClient(options.token, {
    ...(options.apiUrl !== undefined && { slackApiUrl: options.apiUrl }),
    ...{ ...CAREFUL, logger: SILENT },
    fetch: (url, init) =>
      fetchWithin(url, init, signal).catch((error: unknown) => {
        failure = error;
        throw error;
      }),
  });
  try {
    return fields(await client.apiCall(method, values)) ?? {};
  } catch (error) {
    throw faultOf(error, doing === 'read' || neverConnected(failure), method, name);
  }
}

/**
 * A client of Socket Mode for one socket: it never connects again by itself, for only the host can find out what was missed meanwhile.
 * `pongMs`: how long Slack may take to answer a ping before the socket is taken for half-open.
 */
export async function socketClient(
  { options }: Connection<SlackConnection>,
  pongMs: number,
  signal: AbortSignal,
): Promise<SocketModeClient> {
  const { SocketModeClient } = await import('@slack/socket-mode');
  return new SocketModeClient({
    appToken: options.appToken ?? '',
    ...{ logger: SILENT, autoReconnectEnabled: false, clientPingTimeout: pongMs },
    clientOptions: {
      ...(options.apiUrl !== undefined && { slackApiUrl: options.apiUrl }),
      ...{ ...CAREFUL, fetch: (url, init) => fetchWithin(url, init, signal) },
    },
  });
}

/** Answers at the address that came with an interaction. False: the address has expired, or was used up. */
export async function respond(url: string, body: Fields, signal: AbortSignal): Promise<boolean> {
  const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), redirect: 'error' } as const;
  const answer = await fetchWithin(url, sent, signal);
  if (answer.status === 429) throw rateLimited(Number(answer.headers.get('retry-after')));
  if (answer.status >= 500) throw new OutcomeUnknown(`Slack answered ${answer.status} to the answer of an interaction`);
  return answer.ok;
}

async function fetchWithin(url: string | URL | Request, init: RequestInit | undefined, signal: AbortSignal): Promise<Response> {
  const limits = [signal, AbortSignal.timeout(PATIENCE_MS), ...(init?.signal ? [init.signal] : [])];
  const answer = await fetch(url, { ...init, signal: AbortSignal.any(limits) });
  if (answer.status !== 429 || /^\d+$/.test(answer.headers.get('retry-after') ?? '')) return answer;
  // The SDK makes an error without a kind of a limit that names no time.
  return new Response(null, { status: 429, headers: { 'retry-after': PAUSE_WITHOUT_HEADER_S } });
}

function faultOf(error: unknown, isHarmless: boolean, method: string, connection: string): Error {
  const { code, retryAfter, statusCode, data } = fields(error) ?? {};
  if (code === 'slack_webapi_rate_limited_error') return rateLimited(Number(retryAfter), error);
  const answer = fields(data);
  const name = word(answer?.error);
  if (code === 'slack_webapi_platform_error' && name !== undefined) {
    const fault = faultNamed(name, { method, connection, needed: word(answer?.needed) }, error);
    if (fault) return fault;
  }
  const status = typeof statusCode === 'number' ? statusCode : null;
  if (status !== null && status < 500)
    return new ChannelFault('refused', `Slack answered ${status} to ${method}; check apiUrl of ${connection}`, null, { cause: error });
  if (isHarmless)
    return new ChannelFault('unavailable', `Slack could not be reached for ${method}; it is tried again`, null, { cause: error });
  return new OutcomeUnknown(`${method} may have reached Slack, and nothing says what came of it`, { cause: error });
}

function rateLimited(seconds: number, cause?: unknown): ChannelFault {
  const pause = Number.isFinite(seconds) && seconds > 0 ? seconds : Number(PAUSE_WITHOUT_HEADER_S);
  return new ChannelFault('rate_limited', `Slack takes no more for ${pause} s; it is sent after that`, pause * 1000, { cause });
}

function neverConnected(error: unknown): boolean {
  for (let cause = fields(error); cause !== undefined; cause = fields(cause.cause)) {
    if (NEVER_CONNECTED.has(cause.code)) return true;
  }
  return false;
}
