import { RequestError } from '@agentclientprotocol/sdk';
import { storable } from '../../core/storable.js';
import { TurnFailed } from '../../plugin/index.js';
import { fieldsOf } from '../process/agent-event.js';
import type { AgentProcess } from '../process/agent-process.js';

const AUTH_REQUIRED = -32000;
const MOST_SAID = 1_000;
/** Its pipes are closed a moment before its exit is known. */
const EXIT_MS = 2_000;

/** Why an agent stopped before its turn was done, by what it answers to a prompt. */
const STOPS: Readonly<Record<string, string>> = {
  max_tokens: 'the agent stopped in the middle: its answer reached the limit of tokens',
  max_turn_requests: 'the agent stopped in the middle: it reached its limit of requests to the model',
  refusal: 'the agent refused to work on the messages',
  cancelled: 'the agent gave the turn up by itself',
};

/** Null: the turn is done. */
export function stopFault(reason: string): string | null {
  return reason === 'end_turn'
    ? null
    : (STOPS[reason] ?? `the agent stopped for a reason that is not known here: ${storable(reason, 100)}`);
}

/** What went wrong while an agent was asked for something, in one sentence. */
export async function failureOf(
  error: unknown,
  what: string,
  { process, logins }: { readonly process: AgentProcess; readonly logins: readonly string[] },
): Promise<TurnFailed> {
  if (error instanceof TurnFailed) return error;
  if (error instanceof RequestError) return new TurnFailed(refusal(error, what, logins), process.errorText());
  if (await process.exitsWithin(EXIT_MS))
    return new TurnFailed(`the agent ended while it was ${what}: ${process.exit}`, process.errorText());
  return new TurnFailed(`the agent closed its output while it was ${what}`, process.errorText());
}

function refusal(error: RequestError, what: string, logins: readonly string[]): string {
  if (error.code === AUTH_REQUIRED) {
    const ways = logins.length === 0 ? '' : ` (it knows: ${logins.join(', ')})`;
    return `the agent is not logged in${ways}; log it in once as the user that runs this server, or name its key in env of the workspace`;
  }
  const data = fieldsOf(error.data)?.['details'];
  const details = typeof data === 'string' ? `: ${data}` : '';
  return storable(`the agent failed while it was ${what}: ${error.message}${details}`, MOST_SAID);
}
