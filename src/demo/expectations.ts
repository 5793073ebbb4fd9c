import type { Answered, Progress } from './progress.js';
import { steps } from './scenes/all-scenes.js';
import type { Decided, Step, Thread } from './script.js';
import { threadsIn } from './threads.js';

/** One thing that was expected, and what was found instead; null: as expected. */
export interface Finding {
  readonly what: string;
  readonly fault: string | null;
}

export function finding(what: string, expected: unknown, found: unknown): Finding {
  const [a, b] = [JSON.stringify(expected), JSON.stringify(found)];
  return { what, fault: a === b ? null : `expected ${a}, found ${b}` };
}

/** Every answer, held against what its step expects. */
export function checkAnswers(progress: Progress): Finding[] {
  const threads = threadsIn(progress);
  return steps.map((step) => {
    const answered = progress.answerTo(step);
    const what = `${step.id}: ${step.about}`;
    return answered ? { what, fault: faultOf(step, answered, threads) } : { what, fault: 'it was never answered' };
  });
}

function faultOf({ expect }: Step, answered: Answered, threads: ReadonlyMap<Thread, string>): string | null {
  const { status, code, text } = answered.answer;
  if ('refused' in expect) return compared({ status: 401, code: expect.refused }, { status, code });
  if ('handshake' in expect) return compared({ status: 200, text: expect.handshake }, { status, text });
  return compared(decisionExpected(expect, answered, threads), decisionFound(expect, answered));
}

function compared(expected: unknown, found: unknown): string | null {
  return finding('', expected, found).fault;
}

function decisionExpected(
  { disposition, reason, duplicate = false, delivery }: Decided,
  { isRepeat, answer }: Answered,
  threads: ReadonlyMap<Thread, string>,
) {
  // What was sent again after a kill may have been accepted before it, and both is right.
  const isDuplicate = isRepeat && !duplicate ? (answer.decided?.duplicate ?? false) : duplicate;
  const conversation = delivery ? (threads.get(delivery.thread) ?? null) : null;
  return { status: 200, disposition, reason, isDuplicate, conversation, sequence: delivery?.sequence ?? null };
}

function decisionFound({ delivery: expected }: Decided, { answer: { status, decided, delivery } }: Answered) {
  const sequence = delivery?.sequence ?? null;
  return {
    status,
    disposition: decided?.disposition,
    reason: decided?.reason,
    isDuplicate: decided?.duplicate,
    conversation: delivery?.conversation ?? null,
    sequence: expected?.sequence === 'any' && sequence !== null ? 'any' : sequence,
  };
}
