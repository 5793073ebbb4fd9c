import type { Tx } from '../../database/tx.js';
import { releaseErrands } from '../controls/errands.js';
import { lockQueues, saveQueues } from '../deliveries/queues.js';
import { takeBack } from '../deliveries/take-back.js';
import { unfinishedEffectsOf } from '../effects/effects.js';
import { giveUpEffect } from '../effects/give-up-effect.js';
import { releaseJobs } from '../jobs/jobs.js';
import { conversationsOwnedBy } from '../replicas/replicas.js';
import { giveUpRun } from '../runs/take-over.js';
import { runsOwnedBy } from '../runs/watch-runs.js';

/** One kind of thing that dead replicas leave half done. Every step may be repeated, also after a kill in its middle. */
export interface Repair {
  /** What needs it; each is then mended in a transaction of its own, so that one that cannot be keeps no other from it. */
  find(tx: Tx, dead: readonly number[]): Promise<readonly string[]>;
  /** How much was mended; 0: somebody else was faster. */
  mend(tx: Tx, what: string, dead: readonly number[]): Promise<number>;
}

const INTERRUPTED = 'the process that worked on it ended';

/** First of all: what was only prepared was never sent, and what was being sent may have caused events that now wait for an operator. */
const effects: Repair = { find: unfinishedEffectsOf, mend: giveUpEffect };

/** The next claim gets the same messages again; the raised token makes whatever the old holder still says void. */
const claims: Repair = {
  find: conversationsOwnedBy,
  mend: async (tx, conversation, dead) => {
    const queue = (await lockQueues(tx, [conversation])).get(conversation);
    if (!queue || queue.owner === null || !dead.includes(queue.owner)) return 0;
    await takeBack(tx, queue, INTERRUPTED, 'interrupted');
    await saveQueues(tx, [queue]);
    return 1;
  },
};

/** What was to be done behind ended conversations is done anew. */
const jobs: Repair = {
  find: async () => ['jobs'],
  mend: (tx, _, dead) => releaseJobs(tx, dead),
};

/** What was being written to people may stand there already: it is looked for. */
const errands: Repair = {
  find: async () => ['errands'],
  mend: (tx, _, dead) => releaseErrands(tx, dead),
};

/** What had not begun is begun anew, and what had is watched on by another. */
const runs: Repair = { find: runsOwnedBy, mend: giveUpRun };

/** By the names that the summary has, in the order in which they have to be made: what a repair decides, those after it rely on. */
export const REPAIRS = { effects, claims, jobs, errands, runs } as const satisfies Readonly<Record<string, Repair>>;

export type Repaired = Readonly<Record<keyof typeof REPAIRS, number>>;
