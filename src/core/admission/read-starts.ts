import type { Tx } from '../../database/tx.js';
import { type AutomationNow, currentAutomations, lockAutomations } from '../automations/automations.js';
import { busyAutomations, type LiveRun, liveRunsOf } from '../runs/runs.js';
import { standingIn } from '../sandboxes/standing.js';
import type { Fresh } from './plan-admission.js';
import { asOf, isStarting, type StartingMatch, subjectOf } from './planned-start.js';
import { lockConversations } from './read-world.js';
import { placedMatch, type World } from './world.js';

/** The automations that these events may start, as they are now; events that none takes cost nothing. */
export async function bringUpToDate(
  tx: Tx,
  fresh: readonly Fresh[],
): Promise<{ fresh: readonly Fresh[]; automations: readonly AutomationNow[] }> {
  const ids = distinct(startsOf(fresh).map(({ start }) => start.automation));
  if (ids.length === 0) return { fresh, automations: [] };
  const automations = await currentAutomations(tx, ids);
  const byId = new Map(automations.map((each) => [each.id, each]));
  const updated = eachStart(fresh, (match) => {
    const now = byId.get(match.start.automation);
    return now === undefined ? match : asOf(match, now);
  });
  return { fresh: updated, automations };
}

/**
 * Reads, under the locks of their conversations, which of them are held by live runs. The run of an earlier generation keeps its subject
 * while it lives: what comes meanwhile goes to its conversation.
 */
export async function readStarts(tx: Tx, world: World, fresh: readonly Fresh[]): Promise<readonly Fresh[]> {
  const starts = startsOf(fresh).map((match) => placed(world, match));
  if (starts.length === 0) return fresh;
  const skipping = distinct(starts.filter(({ start }) => start.concurrency === 'skip').map(({ start }) => start.automation));
  await lockAutomations(tx, skipping);
  const live = await readLive(tx, world, starts);
  const continuing = starts.filter(({ start, conversation }) => mayStand(start) && world.conversations.has(conversation.id));
  world.starts.find({
    live,
    busy: await busyAutomations(tx, skipping),
    standing: await standingIn(tx, distinct(continuing.map(({ conversation }) => conversation.id))),
  });
  const holders = new Map(live.flatMap((run) => (run.subject === null ? [] : [[holder(run.automation, run.subject), run.conversation]])));
  return eachStart(fresh, (match) => held(world, placed(world, match), holders));
}

function mayStand({ destination, isSandboxed }: StartingMatch['start']): boolean {
  return destination === 'continue_conversation' && isSandboxed;
}

function holder(automation: string, subject: string): string {
  return `${automation} ${subject}`;
}

/** Where the run is that holds the subject. */
function held(world: World, match: StartingMatch, holders: ReadonlyMap<string, string>): StartingMatch {
  const subject = subjectOf(match);
  const id = subject === null ? undefined : holders.get(holder(match.start.automation, subject));
  const row = id === undefined || id === match.conversation.id ? undefined : world.conversations.get(id)?.row;
  if (row === undefined) return match;
  const { namespace, key, org, scope, scope_name: scopeName } = row;
  return { ...match, conversation: { id: row.id, org, namespace, key, scope, scopeName }, scope: null };
}

async function readLive(tx: Tx, world: World, starts: readonly StartingMatch[]): Promise<LiveRun[]> {
  const search = {
    conversations: distinct(starts.map(({ conversation }) => conversation.id)),
    subjects: starts.flatMap((match) => {
      const subject = subjectOf(match);
      return subject === null ? [] : [{ automation: match.start.automation, subject }];
    }),
  };
  const live = await liveRunsOf(tx, search);
  const others = distinct(live.map(({ conversation }) => conversation)).filter((id) => !world.conversations.has(id));
  if (others.length === 0) return live;
  for (const [id, conversation] of await lockConversations(tx, others)) world.conversations.set(id, conversation);
  // A run may have ended while its conversation was waited for.
  return liveRunsOf(tx, search);
}

function placed(world: World, match: StartingMatch): StartingMatch {
  return { ...placedMatch(world.aliases, match, match.conversation.org), start: match.start };
}

function startsOf(fresh: readonly Fresh[]): StartingMatch[] {
  return fresh.flatMap(({ admission }) => admission.matches.filter(isStarting));
}

function eachStart(fresh: readonly Fresh[], change: (match: StartingMatch) => StartingMatch): readonly Fresh[] {
  return fresh.map((each) => {
    if (!each.admission.matches.some(isStarting)) return each;
    const matches = each.admission.matches.map((match) => (isStarting(match) ? change(match) : match));
    return { ...each, admission: { ...each.admission, matches } };
  });
}

function distinct(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}
