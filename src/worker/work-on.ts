import type { ClaimEnd } from '../core/deliveries/end-claims.js';
import type { Parsed } from '../plugin/index.js';
import type { Work } from './claim-work.js';
import type { LiveTurn } from './live-turn.js';
import { hasAsker, type PrepareContext, prepare } from './prepare.js';
import { runTurn, type TurnContext } from './run-turn.js';
import { type SettleContext, settle } from './settle.js';

export interface WorkContext extends TurnContext, SettleContext, PrepareContext {}

const CLEANING_PAUSE_MS = 200;

/** Works on a claim and says how it ends. Null: it is over already. */
export async function workOn(work: Work, context: WorkContext, turn: LiveTurn): Promise<ClaimEnd | null> {
  const { signal } = turn.stop;
  const { claim, conversation } = work;
  if (claim.head.kind === 'lifecycle' && !isTied(work, context)) return settle(work, context, signal);
  // Nobody moves in while what an earlier end left behind is being cleared away.
  if (conversation.cleaning === 1)
    return { claim, how: 'deferred', failure: 'what its end left behind is being cleared away', pauseMs: CLEANING_PAUSE_MS };
  const prepared = await prepare(work, context, signal);
  if (prepared.how === 'over') return null;
  if (prepared.how === 'end') return prepared.end;
  const ready = prepared.work;
  const workspace = context.table.workspace(conversation.org, conversation.workspace);
  if (workspace === null)
    return { claim: ready.claim, how: 'unconfigured', failure: `workspace ${conversation.workspace} is not in the configuration` };
  turn.narrow(ready.claim);
  return runTurn({ ...ready, workspace, isAsked: (content) => hasAsker(content, context) }, context, turn);
}

/** Another change of the very revision that is known was admitted for its provider to be asked. */
function isTied({ conversation, contents: [content] }: Work, { providers }: WorkContext): boolean {
  if (!content) return false;
  const { observation } = JSON.parse(content.parsed) as Parsed;
  if (!observation?.transition || observation.revision === null || observation.revision !== conversation.revision) return false;
  return observation.state !== conversation.state && providers.find(content.org, content.source)?.provider.preparer !== undefined;
}
