import type { Claim } from '../core/deliveries/claim.js';
import { turnId } from '../core/turns/turn.js';
import { lastInterrupted } from '../core/turns/turns.js';
import type { Database } from '../database/database.js';
import type { AgentRuntime, TurnEvent, TurnInput } from '../plugin/index.js';

interface Beginning {
  readonly claim: Claim;
  readonly workspace: { readonly runtime: AgentRuntime };
}

/** What the turn says: the interrupted one, where its runtime can go on with it, else a new one. */
export async function beginTurn(
  { claim, workspace: { runtime } }: Beginning,
  input: TurnInput,
  database: Database,
  signal: AbortSignal,
): Promise<AsyncIterable<TurnEvent>> {
  if (runtime.reattach && claim.head.interruptions > 0) {
    const token = await database.transaction((tx) => lastInterrupted(tx, claim.conversation, claim.from));
    const goingOn =
      token === null
        ? null
        : await runtime.reattach({ ...input, turn: { ...input.turn, resumed: true } }, turnId(claim.conversation, token), signal);
    if (goingOn !== null) return goingOn;
  }
  return runtime.startTurn(input, signal);
}
