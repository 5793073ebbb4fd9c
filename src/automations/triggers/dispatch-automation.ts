import type { Admissions } from '../../core/admission/admissions.js';
import type { Unprompted } from '../../core/admission/plan-unprompted.js';
import { findAutomation } from '../../core/automations/automations.js';
import type { Database } from '../../database/database.js';
import { NotFound } from '../../plugin/index.js';

export interface DispatchRequest {
  readonly org: string;
  readonly automation: string;
  readonly by: string;
  readonly why: Unprompted['why'];
}

/** What a dispatch came to. */
export interface Dispatched {
  readonly receipt: string;
  /** False: it was asked for before, under the same key or for the same slot, and this is what came of it then. */
  readonly isNew: boolean;
  /** Its id; null: nothing begins, and the reason says why. */
  readonly run: string | null;
  /** `run_in_progress` where its policy lets nothing begin now, `automation_disabled` where its schedule is off. */
  readonly reason: string | null;
}

/**
 * Starts an automation by hand or for a slot of its schedule. It is an event like any other: however often it is asked for under one key,
 * or for one slot, and by however many replicas, one run comes of it. Throws `NotFound`, and `StoreUnavailable` when nothing was stored.
 */
export async function dispatchAutomation(
  { database, admissions }: { readonly database: Database; readonly admissions: Admissions },
  { org, automation: id, by, why }: DispatchRequest,
): Promise<Dispatched> {
  const automation = await database.transaction((tx) => findAutomation(tx, id));
  if (automation === null || automation.org !== org) throw new NotFound(`There is no automation ${id}.`);
  const answer = await admissions.start({ automation, by, why });
  const [run = null] = answer.runs_created;
  return { receipt: answer.receipt, isNew: !answer.duplicate, run, reason: run === null ? answer.reason : null };
}
