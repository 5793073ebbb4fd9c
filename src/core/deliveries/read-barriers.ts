import type { Tx } from '../../database/tx.js';
import { readAccounts } from '../conversations/accounts.js';
import { dayOf, endOfDay } from '../limits/day.js';
import { type Account, type Allowance, allowanceOf, type RulesOf, spentText, type WorkspaceRules } from '../limits/rules.js';
import { readSpendings } from '../limits/spendings.js';
import { machineTurns } from '../turns/turns.js';
import type { OpenDelivery } from './deliveries.js';
import { causeOf } from './delivery.js';
import type { Queue } from './queue.js';

/** What stands between a conversation and its next turn. */
export interface Barrier {
  /** Set: there is to be no turn. */
  readonly parked: {
    readonly conversation: string;
    readonly parked: 'looping' | 'spent';
    readonly reason: string;
    readonly until: number | null;
  } | null;
  /** What the turn may cost; null: anything. */
  readonly allowance: Allowance | null;
}

interface Candidate {
  readonly queue: Queue;
  readonly entries: readonly OpenDelivery[];
}

const UNKNOWN: Account = { spent_usd: 0, waived_until: null, loop_floor: 0 };

/** Looks, for those whose workspace has limits or whose messages are of machines alone, at what has been before. */
export async function readBarriers(tx: Tx, candidates: readonly Candidate[], rulesOf: RulesOf, now: number): Promise<Map<string, Barrier>> {
  const limited = candidates.filter(
    ({ queue, entries }) => entries[0]?.kind === 'prompt' && isLimited(rulesOf(queue.org, queue.workspace), entries),
  );
  if (limited.length === 0) return new Map();
  const accounts = await readAccounts(
    tx,
    limited.map(({ queue }) => queue.conversation),
  );
  const today = await spentToday(tx, limited, rulesOf, now);
  const barriers = new Map<string, Barrier>();
  for (const { queue, entries } of limited) {
    const account = accounts.get(queue.conversation) ?? UNKNOWN;
    const rules = rulesOf(queue.org, queue.workspace);
    const loop = await loopOf(tx, queue, entries, rules, account, now);
    const endsAt = endOfDay(now, rules.timezone);
    const allowance = allowanceOf(rules, account, { spentUsd: today(queue), endsAt, now });
    barriers.set(queue.conversation, barrierOf(queue.conversation, loop, allowance));
  }
  return barriers;
}

function isLimited(rules: WorkspaceRules, entries: readonly OpenDelivery[]): boolean {
  if (rules.usdPerTurn !== null || rules.usdPerConversation !== null || rules.usdPerDay !== null) return true;
  return rules.loop !== null && isOfMachines(entries);
}

function isOfMachines(entries: readonly OpenDelivery[]): boolean {
  return causeOf(entries.map(({ author_kind }) => author_kind)) === 'machine';
}

async function spentToday(tx: Tx, limited: readonly Candidate[], rulesOf: RulesOf, now: number): Promise<(queue: Queue) => number> {
  const key = ({ org, workspace }: { org: string; workspace: string }) => JSON.stringify([org, workspace]);
  const budgeted = new Map(
    limited.filter(({ queue }) => rulesOf(queue.org, queue.workspace).usdPerDay !== null).map(({ queue }) => [key(queue), queue]),
  );
  const days = [...budgeted.values()].map(({ org, workspace }) => ({ org, workspace, day: dayOf(now, rulesOf(org, workspace).timezone) }));
  const spent = new Map((await readSpendings(tx, days)).map((spending) => [key(spending), spending.usd]));
  return (queue) => spent.get(key(queue)) ?? 0;
}

/** How many turns machines have caused by themselves, when they are too many; a try again is no turn of its own. */
async function loopOf(
  tx: Tx,
  queue: Queue,
  entries: readonly OpenDelivery[],
  { loop }: WorkspaceRules,
  account: Account,
  now: number,
): Promise<string | null> {
  if (loop === null || !isOfMachines(entries) || (entries[0]?.attempts ?? 0) + (entries[0]?.interruptions ?? 0) > 0) return null;
  const begun = await machineTurns(tx, queue.conversation, account.loop_floor);
  const recent = begun.filter((at) => at > now - loop.windowMs).length;
  if (recent < loop.turns) return null;
  return `looping: machines alone caused ${recent} turns in ${Math.round(loop.windowMs / 1000)} s; resume it when they are to go on`;
}

function barrierOf(conversation: string, loop: string | null, allowance: Allowance | null): Barrier {
  if (loop !== null) return { parked: { conversation, parked: 'looping', reason: loop, until: null }, allowance };
  if (allowance === null || allowance.usd > 0) return { parked: null, allowance };
  return { parked: { conversation, parked: 'spent', reason: spentText(allowance), until: allowance.until }, allowance };
}
