import { ConfigFault, ProviderFault } from 'throughline/plugin';
import type { GatewayEnd } from './discord.api.js';
import { DiscordFailure } from './failure.js';

/** Closes after which the same connection would be closed again, and what a person has to change. */
const MISCONFIGURED: Readonly<Record<number, string>> = {
  4004: 'Discord does not know the token of the bot: reset it in the Developer Portal (Bot › Reset Token) and set the new one as `token`',
  4010: 'Discord refuses the shard that this bot connects as: connect it with one process, without sharding of your own',
  4011: 'the bot is in so many servers that Discord demands several connections, which is not supported: use a bot of its own, in fewer servers',
  4012: 'Discord does not speak this version of its gateway any more: install a newer version of Throughline',
  4013: 'Discord does not know one of the intents that are asked for: install a newer version of Throughline',
  4014: 'the bot may not see what people write: switch on MESSAGE CONTENT INTENT in the Developer Portal (Bot › Privileged Gateway Intents)',
};

/** What the host is told when the gateway is gone. */
export function faultOfEnd({ code, isLost, failure }: GatewayEnd): Error {
  const sentence = code === null ? undefined : MISCONFIGURED[code];
  if (sentence !== undefined) return new ConfigFault(`${sentence} (close ${code})`);
  if (failure !== null) return faultOfFailure(failure);
  const what = isLost ? 'Discord ended the session; what was missed is asked for' : 'the connection to Discord ended';
  return new ProviderFault(code === null ? what : `${what} (close ${code})`, 'transient');
}

export function faultOfFailure(error: unknown): Error {
  if (!(error instanceof DiscordFailure)) return error instanceof Error ? error : new Error(String(error));
  const { kind, message, details } = error;
  if (details.status === 401) return new ConfigFault(MISCONFIGURED[4004] ?? message);
  if (kind === 'limited') return new ProviderFault(message, 'transient', details.retryAfterMs ?? null);
  return new ProviderFault(message, details.status === 403 ? 'unauthorized' : kind === 'refused' ? 'permanent' : 'transient');
}
