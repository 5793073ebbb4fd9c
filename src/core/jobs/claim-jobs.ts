import type { Tx } from '../../database/tx.js';
import { lockFreeQueues } from '../deliveries/queues.js';
import { isAlive } from '../replicas/replicas.js';
import { beginJobs, conversationsWithJobs, dueJobs, type Job, supersedeJobs } from './jobs.js';

export interface JobRequest {
  readonly owner: number;
  /** What this process knows how to do: a kind of a later version is left to those that run it. */
  readonly kinds: readonly string[];
  readonly limit: number;
}

/**
 * Takes jobs that are due. Their conversations' queues are locked meanwhile, so that an end is decided to stand, or not, before or after
 * a reopening and never beside it; one that somebody else looks at is left for the next time. Null: this replica's lease has run out.
 */
export async function claimJobs(tx: Tx, { owner, kinds, limit }: JobRequest): Promise<Job[] | null> {
  const conversations = await conversationsWithJobs(tx, kinds, limit);
  if (conversations.length === 0) return [];
  if (!(await isAlive(tx, owner))) return null;
  const { standing, superseded } = await dueJobs(tx, await lockFreeQueues(tx, conversations), kinds);
  await supersedeJobs(tx, superseded);
  await beginJobs(tx, standing, owner);
  return standing;
}
