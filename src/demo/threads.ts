import type { Progress } from './progress.js';
import { steps } from './scenes/all-scenes.js';
import type { Expectation, Thread } from './script.js';

/** The conversation that a step's delivery is to be in. */
export function threadOf(expect: Expectation): Thread | null {
  return 'disposition' in expect ? (expect.delivery?.thread ?? null) : null;
}

/** Which conversation each thread of the script turned out to be: that of the first answer which names one. */
export function threadsIn(progress: Progress): ReadonlyMap<Thread, string> {
  const found = new Map<Thread, string>();
  for (const step of steps) {
    const thread = threadOf(step.expect);
    const conversation = progress.answerTo(step)?.answer.delivery?.conversation;
    if (thread !== null && conversation !== undefined && !found.has(thread)) found.set(thread, conversation);
  }
  return found;
}
