import { randomUUID } from 'node:crypto';
import type { Tx } from '../../database/tx.js';
import { type AutomationNow, currentAutomations, lockAutomations } from '../automations/automations.js';
import { type ConversationRow, readConversations } from '../conversations/conversations.js';
import { isForAPerson, park, type Queue } from '../deliveries/queue.js';
import { busyAutomations, insertRuns, type LiveRun, liveRunsOf, type NewRun, runSubject } from '../runs/runs.js';

/** A delivery that may have been our own doing, is not, and was to begin a run. */
export interface Released {
  readonly conversation: string;
  readonly sequence: number;
  readonly receipt: number;
  /** The automation that took the event. */
  readonly automation: string;
  readonly source: string;
  readonly noSubject: string | null;
}

/**
 * Begins the runs that waited for what their events are. Their conversations' queues are locked, and change. Nothing begins where a run
 * lives by now, or its automation is off or lets nothing begin: the message goes its way without.
 */
export async function beginReleased(
  tx: Tx,
  released: readonly Released[],
  queues: ReadonlyMap<string, Queue>,
  now: number,
): Promise<NewRun[]> {
  if (released.length === 0) return [];
  const known = await readState(tx, released);
  const begun = new Map<string, NewRun>();
  for (const each of released) {
    const queue = queues.get(each.conversation);
    const run = queue === undefined || isForAPerson(queue) ? null : runOf(each, known);
    if (queue === undefined || run === null || [...begun.values()].some((other) => holds(other, run))) continue;
    park(queue, 'starting');
    begun.set(run.id, run);
  }
  await insertRuns(tx, [...begun.values()], now);
  return [...begun.values()];
}

interface Known {
  readonly automations: ReadonlyMap<string, AutomationNow>;
  readonly conversations: ReadonlyMap<string, ConversationRow>;
  readonly live: readonly LiveRun[];
  readonly busy: readonly string[];
}

async function readState(tx: Tx, released: readonly Released[]): Promise<Known> {
  const automations = new Map(
    (await currentAutomations(tx, [...new Set(released.map(({ automation }) => automation))])).map((a) => [a.id, a]),
  );
  const skipping = [...automations.values()].filter(({ concurrency }) => concurrency === 'skip').map(({ id }) => id);
  await lockAutomations(tx, skipping);
  const ids = [...new Set(released.map(({ conversation }) => conversation))];
  const conversations = new Map((await readConversations(tx, ids)).map((row) => [row.id, row]));
  const subjects = released.flatMap((each) => {
    const subject = subjectOf(each, conversations);
    return subject === null ? [] : [{ automation: each.automation, subject }];
  });
  return {
    ...{ automations, conversations },
    live: await liveRunsOf(tx, { conversations: ids, subjects }),
    busy: await busyAutomations(tx, skipping),
  };
}

function runOf(each: Released, { automations, conversations, live, busy }: Known): NewRun | null {
  const automation = automations.get(each.automation);
  const row = conversations.get(each.conversation);
  if (row === undefined || automation?.state !== 'enabled' || busy.includes(automation.id)) return null;
  const { conversation, sequence, receipt, noSubject } = each;
  const run: NewRun = {
    ...{ id: randomUUID(), org: row.org, automation: automation.id, version: automation.version, generation: automation.generation },
    ...{ conversation, sequence, receipt, subject: subjectOf(each, conversations), noSubject, cause: 'event', slot: null },
    ...{ state: 'queued', error: null, detail: null, inputs: null },
  };
  return live.some((other) => holds(other, run)) ? null : run;
}

/** One of the two may live. */
function holds(other: Pick<LiveRun, 'automation' | 'conversation' | 'subject'>, run: NewRun): boolean {
  const isOfSubject = run.subject !== null && other.automation === run.automation && other.subject === run.subject;
  return other.conversation === run.conversation || isOfSubject;
}

function subjectOf({ conversation, source }: Released, conversations: ReadonlyMap<string, ConversationRow>): string | null {
  const row = conversations.get(conversation);
  return row === undefined || row.scope === 'run' ? null : runSubject(source, row.key);
}
