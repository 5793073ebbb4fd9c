import { ConfigFault, ProviderFault } from 'throughline/plugin';
import { fields, word } from './json.js';

const NEW_TOKEN = 'make an App-Level Token (Basic Information › App-Level Tokens, scope connections:write) and set it as `appToken`';
const ALLOW_APP = 'ask an administrator of the workspace to allow the app again';
const SWITCH_ON = "switch on Socket Mode in the app's settings (Settings › Socket Mode), or take `appToken` away to receive over HTTP";

/** Answers and farewells after which the next try would end the same, and what a person has to change. */
const MISCONFIGURED: ReadonlyMap<string, string> = new Map([
  ...['not_authed', 'invalid_auth', 'token_revoked', 'token_expired', 'not_allowed_token_type', 'missing_scope', 'no_permission'].map(
    (name) => [name, NEW_TOKEN] as const,
  ),
  ...['account_inactive', 'user_removed_from_team', 'team_disabled', 'access_denied'].map((name) => [name, ALLOW_APP] as const),
  ['link_disabled', SWITCH_ON],
]);

/** Slack bears ten sockets of an app; those of processes that died stay for a while. */
const CROWDED_PAUSE_MS = 60_000;

/** Why Slack said that it ends a socket, where it is not to be replaced by another one at once; else null. */
export function faultOfFarewell(reason: string): Error | null {
  const step = MISCONFIGURED.get(reason);
  if (step !== undefined) return new ConfigFault(`Slack ended the socket with ${reason}: ${step}`);
  if (reason !== 'too_many_websockets') return null;
  const words = 'Slack has as many sockets of this app as it allows, 10: end the other processes that use its app-level token';
  return new ProviderFault(words, 'transient', CROWDED_PAUSE_MS);
}

/** Why a socket could not be opened: what Slack answered to `apps.connections.open`, or what became of the socket. */
export function faultOfOpening(error: unknown): Error {
  if (error instanceof ConfigFault || error instanceof ProviderFault) return error;
  const { code, data, retryAfter } = fields(error) ?? {};
  if (code === 'slack_webapi_rate_limited_error') {
    const pauseMs = Math.max(1, Number(retryAfter) || 30) * 1000;
    return new ProviderFault('Slack takes no further apps.connections.open for now', 'transient', pauseMs, { cause: error });
  }
  const name = word(fields(data)?.error);
  const step = name === undefined ? undefined : MISCONFIGURED.get(name);
  if (step !== undefined) return new ConfigFault(`Slack answered ${name} to apps.connections.open: ${step}`, { cause: error });
  if (name !== undefined && /^\w{1,100}$/.test(name))
    return new ProviderFault(`Slack answered ${name} to apps.connections.open`, 'transient', null, { cause: error });
  return new ProviderFault('a socket to Slack could not be opened', 'transient', null, { cause: error });
}
