import { chunked } from '../../core/controls/chunks.js';
import { slotOf } from '../../core/controls/errands.js';
import type { Post } from '../../core/controls/posts.js';
import { withoutHalf } from '../../core/controls/title.js';
import type { Claim } from '../../core/deliveries/claim.js';
import type { ClaimEnd, RetryPolicy } from '../../core/deliveries/end-claims.js';
import { MAX_INTERRUPTIONS } from '../../core/deliveries/queue.js';

/** Nobody reads more of one turn in a thread; the rest is in its transcript. */
const MOST_PARTS = 50;
const STATUS_UNITS = 120;
const FAILURE_UNITS = 400;

/**
 * What a turn says, in the messages that it is shown in. A try that goes on after an interruption has the messages of the one before; one
 * after a failure begins below the notice of it.
 */
export function textPosts({ conversation, from, head }: Claim, text: string, limit: number, status: string | null = null): Post[] {
  const parts = shortened(chunked(withoutHalf(text.slice(0, limit * (MOST_PARTS + 1))), limit), text);
  const last = parts.at(-1);
  const line = status === null ? '' : `_${oneLine(status, STATUS_UNITS)}_`;
  if (line !== '' && (last === undefined || last.length + line.length + 2 <= limit))
    parts.splice(-1, last === undefined ? 0 : 1, last === undefined ? line : `${last}\n\n${line}`);
  return parts.map((part, index) => ({ slot: slotOf(conversation, 'turn', from, head.attempts, index), text: part }));
}

/** The messages that an earlier try has, and this one does not need. */
export function spareSlots({ conversation, from, head }: Claim, used: number): string[] {
  const spare = Array.from({ length: MOST_PARTS - used }, (_, i) => used + i);
  return spare.map((index) => slotOf(conversation, 'turn', from, head.attempts, index));
}

function shortened(parts: string[], text: string): string[] {
  if (parts.length <= MOST_PARTS) return parts;
  const shown = parts.slice(0, MOST_PARTS - 1);
  const left = text.length - shown.reduce((sum, part) => sum + part.length, 0);
  return [...shown, `… ${left} more characters are in the transcript of the turn.`];
}

/** The result, unless it was said already, stands below what was said on the way. */
export function finalText(said: string, result: string | null): string {
  if (result === null || said.includes(result.trim())) return said;
  return said.trim() === '' ? result : `${said.trimEnd()}\n\n${result}`;
}

/** What people are told of an end that is no success; null: nothing. */
export function failurePost(end: ClaimEnd, { maxAttempts }: RetryPolicy): Post | null {
  const text = failureText(end, maxAttempts);
  const { conversation, token } = end.claim;
  return text === null ? null : { slot: slotOf(conversation, 'end', token), text };
}

function failureText(end: ClaimEnd, maxAttempts: number): string | null {
  const { head } = end.claim;
  if (head.kind === 'lifecycle' || end.how === 'completed' || end.how === 'deferred' || end.how === 'unconfigured') return null;
  const why = oneLine(end.failure, FAILURE_UNITS);
  if (end.how === 'gone') return `The sandbox of this conversation is gone: ${why}.`;
  if (end.how === 'spent') return `Stopped: ${why}.`;
  if (end.how === 'interrupted')
    return head.interruptions + 1 >= MAX_INTERRUPTIONS
      ? `Stalled, after it was interrupted ${MAX_INTERRUPTIONS} times: ${why}. An operator decides what becomes of it.`
      : null;
  const attempts = head.attempts + 1;
  if (attempts < maxAttempts)
    return end.turn === null ? null : `The turn failed (attempt ${attempts} of ${maxAttempts}, tried again): ${why}`;
  if (end.onDead === 'skip') return `Given up after ${attempts} attempts: ${why}`;
  return `Stalled after ${attempts} attempts: ${why}. An operator decides what becomes of it.`;
}

function oneLine(text: string, units: number): string {
  const line = text.toWellFormed().replace(/\s+/g, ' ').trim();
  return line.length <= units ? line : `${withoutHalf(line.slice(0, units - 1))}…`;
}
