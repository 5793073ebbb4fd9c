import type { Database } from '../../database/database.js';
import { clock, type Tx } from '../../database/tx.js';
import { readEnding, uncountedEndings } from '../conversations/conversations.js';
import { hurryLifecycle } from '../deliveries/hurry-lifecycle.js';
import { lockQueues } from '../deliveries/queues.js';
import { hurryJobs } from '../jobs/jobs.js';
import { recordEndings } from '../jobs/record-endings.js';

export interface ResumedCleanup {
  /** Ends of an earlier version, which left nothing behind that says what there is to do. */
  readonly adopted: number;
  /** Jobs and lifecycle deliveries that had failed and are tried again at once. */
  readonly hurried: number;
  /** Conversations that could not be looked at; the next start tries again. */
  readonly failed: readonly { readonly conversation: string; readonly error: Error }[];
}

const BATCH = 500;

/** A start is when whatever kept an end from being cleaned up behind may have been mended: everything that waits is tried again. */
export async function resumeCleanup(database: Database): Promise<ResumedCleanup> {
  let adopted = 0;
  const failed: { conversation: string; error: Error }[] = [];
  for (let after: string | null = null; ; ) {
    const ended: string[] = await database.transaction((tx) => uncountedEndings(tx, after, BATCH));
    for (const conversation of ended)
      await database
        .transaction((tx) => adopt(tx, conversation))
        .then(
          (count) => {
            adopted += count;
          },
          (error: Error) => failed.push({ conversation, error }),
        );
    if (ended.length < BATCH) break;
    after = ended.at(-1) ?? null;
  }
  let hurried = await database.transaction(hurryJobs);
  for (let some = BATCH; some === BATCH; hurried += some) some = await database.transaction((tx) => hurryLifecycle(tx, BATCH));
  return { adopted, hurried, failed };
}

/** One that is being worked on counts its end when it is ended, or at the next start. */
async function adopt(tx: Tx, conversation: string): Promise<number> {
  const queue = (await lockQueues(tx, [conversation])).get(conversation);
  if (!queue || queue.owner !== null) return 0;
  const end = await readEnding(tx, conversation);
  if (end?.state !== 'terminal' || end.ending > 0) return 0;
  await recordEndings(tx, [{ conversation, sequence: null }], await clock(tx));
  return 1;
}
