import { randomUUID } from 'node:crypto';
import { isForAPerson, park } from '../deliveries/queue.js';
import type { NewRun } from '../runs/runs.js';
import type { Origin, Verdict } from './decision.js';
import type { Locked } from './locked.js';
import { note } from './note.js';
import type { Admission } from './plan-admission.js';
import { type StartingMatch, subjectOf } from './planned-start.js';
import { deliveredPrompt, refusedPrompt } from './take-prompt.js';
import type { World } from './world.js';

/** Its automation was switched off, or deleted, after the event was held against it. */
const DISABLED = 'automation_disabled';
/** Its automation lets nothing begin while a run of it lives. */
const RUN_IN_PROGRESS = 'run_in_progress';

/** What becomes of an event that an automation takes: a message of the conversation, and a run where none has it open. */
export function takeTrigger(world: World, admission: Admission, match: StartingMatch, receipt: number, origin: Origin): Verdict {
  const known = world.conversations.get(match.conversation.id);
  if (isOff(world, match)) return ignored(world, admission, match, receipt, DISABLED);
  const refused = refusedPrompt(world, admission, match, receipt, origin);
  if (refused !== null) return refused;
  const told = { reason: match.start.noSubject };
  if (!needsRun(world, match, known)) {
    const verdict = deliveredPrompt(world, admission, match, { receipt, origin, joins: true });
    return { ...verdict, ...told, ...(known !== undefined && { continued: true }) };
  }
  if (match.start.concurrency === 'skip' && world.starts.isBusy(match.start.automation)) return skipped(world, admission, match, receipt);
  // Whatever begins a run wakes its agent, and stands at its beginning.
  const verdict = deliveredPrompt(world, admission, { ...match, waking: true }, { receipt, origin, joins: false });
  // What may be our own doing begins nothing before that is known.
  const { automation, source, noSubject } = match.start;
  if (verdict.disposition === 'held') return { ...verdict, begins: { automation, source, noSubject } };
  const conversation = world.conversations.get(match.conversation.id);
  if (conversation !== undefined) park(conversation.queue, 'starting');
  const run = runOf(world, match, receipt, { sequence: verdict.sequence, state: 'queued', error: null });
  world.starts.begin(run);
  return { ...verdict, ...told, run: run.id };
}

/** A person may start what is off. */
function isOff(world: World, { start }: StartingMatch): boolean {
  const automation = world.starts.automation(start.automation);
  return automation === undefined || (start.cause !== 'api' && automation.state !== 'enabled');
}

function needsRun(world: World, match: StartingMatch, known: Locked | undefined): boolean {
  if (world.starts.isLive(match.conversation.id)) return false;
  if (known === undefined) return true;
  if (isForAPerson(known.queue)) return false;
  return match.start.destination === 'dispatch_run' || !isOpen(world, match, known);
}

/** Its agent can be told something without a run: in its sandbox, or because it needs none. */
function isOpen(world: World, { start }: StartingMatch, { row, queue }: Locked): boolean {
  return queue.parked !== 'starting' && (!start.isSandboxed || world.starts.isStanding(row.id));
}

function skipped(world: World, admission: Admission, match: StartingMatch, receipt: number): Verdict {
  const run = runOf(world, match, receipt, { sequence: null, state: 'skipped', error: RUN_IN_PROGRESS });
  world.starts.begin(run);
  return { ...ignored(world, admission, match, receipt, RUN_IN_PROGRESS), run: run.id };
}

function ignored(world: World, admission: Admission, match: StartingMatch, receipt: number, reason: string): Verdict {
  const known = world.conversations.get(match.conversation.id);
  if (known) note(world, admission, known, receipt, 'ignored', reason);
  return { route: match.route, conversation: known?.row.id ?? null, sequence: null, disposition: 'ignored', reason };
}

function runOf(
  world: World,
  match: StartingMatch,
  receipt: number,
  { sequence, state, error }: Pick<NewRun, 'sequence' | 'state' | 'error'>,
): NewRun {
  const { automation, noSubject, cause, slot, inputs } = match.start;
  const { version, generation } = world.starts.automation(automation) ?? match.start;
  return {
    ...{ id: randomUUID(), org: match.conversation.org, automation, version, generation, conversation: match.conversation.id },
    ...{ sequence, subject: subjectOf(match), noSubject, cause, receipt, slot, state, error, detail: null, inputs },
  };
}
