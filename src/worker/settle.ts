import { ConversationTasks } from '../core/conversation-tasks.js';
import { isEndingOf } from '../core/conversations/conversation.js';
import { readEnding } from '../core/conversations/conversations.js';
import type { ClaimEnd } from '../core/deliveries/end-claims.js';
import { storable } from '../core/storable.js';
import { isOurs } from '../core/turns/turns.js';
import { lifecycleVerdict } from '../core/verdicts/verdicts.js';
import type { Parsed, SettlementFence } from '../plugin/index.js';
import type { Work } from './claim-work.js';
import { conversationOf, identityOf } from './claimed-delivery.js';
import type { Providers } from './providers.js';
import { type RuntimeRetirement, retireRuntime } from './retire-runtime.js';
import { askedPauseMs, isTransient, within } from './within.js';

export interface SettleContext extends RuntimeRetirement {
  readonly providers: Providers;
  /** How long a plugin may take for one call. */
  readonly callMs: number;
}

const FAILURE_CHARACTERS = 4 * 1024;

/**
 * Works on a lifecycle delivery: nothing runs any more, then the provider is told, under the fence. What its end is no longer, because
 * the conversation was opened or ended anew, is told nobody.
 */
export async function settle(work: Work, context: SettleContext, signal: AbortSignal): Promise<ClaimEnd> {
  const { claim, conversation } = work;
  if (!isPresentEnd(work)) return completed(work, observedState(work) === conversation.state ? 'lifecycle' : 'superseded');
  try {
    await retireRuntime(conversation, context);
    return await tell(work, context, signal);
  } catch (error) {
    const failure = storable(error instanceof Error ? error.message : String(error), FAILURE_CHARACTERS);
    if (signal.aborted) return { claim, how: 'deferred', failure, pauseMs: 0 };
    // A runtime that is still stopping, or a provider that asks for patience, has not failed.
    const pauseMs = isTransient(error) ? askedPauseMs(error) : null;
    if (pauseMs !== null) return { claim, how: 'deferred', failure, pauseMs };
    return { claim, how: 'failed', failure, onDead: 'stall', turn: null };
  }
}

async function tell(work: Work, context: SettleContext, signal: AbortSignal): Promise<ClaimEnd> {
  const { claim, conversation, contents } = work;
  const [content] = contents;
  if (!content) throw new Error('a claimed delivery has no receipt');
  const found = context.providers.find(content.org, content.source);
  if (found === null) return { claim, how: 'unconfigured', failure: `connection ${content.source} is not in the configuration` };
  const { connection, provider } = found;
  const { lifecycle } = provider;
  if (lifecycle === undefined) return completed(work, 'lifecycle');
  const fence = fenceOf(work, context, signal);
  const settlement = {
    ...{ identity: identityOf(content), conversation: conversationOf(conversation), connection, fence },
    tasks: new ConversationTasks(context.database, conversation.id, claim),
    ...{ reason: conversation.reason ?? 'closed', revision: conversation.revision, context: await contextOf(work, context) },
  };
  await within(context.callMs, signal, (limited) => lifecycle.settle({ ...settlement, signal: limited }));
  return completed(work, (await fence.holds()) ? 'lifecycle' : 'superseded');
}

/** Of a message that its provider made the end, what the provider said then; else what came with the event. */
async function contextOf({ claim, contents }: Work, { database }: SettleContext): Promise<Readonly<Record<string, unknown>>> {
  const verdict = await database.transaction((tx) => lifecycleVerdict(tx, claim.conversation, claim.from));
  if (verdict?.context) return verdict.context;
  return (JSON.parse(contents[0]?.parsed ?? '{}') as Partial<Parsed>).context ?? {};
}

function fenceOf({ claim, conversation }: Work, { database }: SettleContext, signal: AbortSignal): SettlementFence {
  return {
    holds: async () =>
      !signal.aborted &&
      (await database.transaction(async (tx) => {
        if (!(await isOurs(tx, claim))) return false;
        const now = await readEnding(tx, claim.conversation);
        return now?.state === 'terminal' && now.ending === conversation.ending;
      })),
  };
}

/** An end of a replica that does not count ends yet is known by what its event said. */
function isPresentEnd(work: Work): boolean {
  const { conversation, claim } = work;
  if (isEndingOf(conversation, claim.from)) return true;
  const isLater = claim.from > (conversation.ending_sequence ?? 0);
  return conversation.state === 'terminal' && isLater && observedState(work) === 'terminal';
}

function observedState({ contents }: Work): 'open' | 'terminal' | null {
  return (JSON.parse(contents[0]?.parsed ?? '{}') as Partial<Parsed>).observation?.state ?? null;
}

function completed({ claim }: Work, outcome: 'lifecycle' | 'superseded'): ClaimEnd {
  return { claim, how: 'completed', outcome, reason: null, turn: null };
}
