import { randomUUID } from 'node:crypto';
import { doubtThread, saveFault } from '../../core/controls/bindings.js';
import { type ErrandRow, endErrand, finishErrand, retryErrand } from '../../core/controls/errands.js';
import { insertNotes } from '../../core/conversations/notes.js';
import { backoff } from '../../core/deliveries/end-claims.js';
import { storable } from '../../core/storable.js';
import { clock, type Tx } from '../../database/tx.js';
import { ChannelFault, type ChannelState } from '../../plugin/index.js';

const FAILURE_CHARACTERS = 2000;
const LONGEST_PAUSE_MS = 3_600_000;
const RETRY = { maxAttempts: 8, backoff: { firstMs: 1000, factor: 2, maxMs: 300_000 } };

/** Nobody has to be told of these; they pass, or are mended by the host. */
const PASSING: readonly ChannelState[] = ['rate_limited', 'thread_gone', 'message_gone'];
/** What has failed so often that no person waits for it any more. */
const GIVEN_UP: readonly string[] = ['acknowledge', 'answer'];
/** Kinds that concern the thread of their conversation. */
const OF_THREAD: readonly string[] = ['post', 'ensure', 'archive', 'unarchive'];

export interface Failed {
  readonly failure: string;
  /** Null: the channel did not say how it is. */
  readonly state: ChannelState | null;
  /** It is news, and somebody should look. */
  readonly isAlarming: boolean;
  /** So long nothing else is to be asked of this channel; null: it may be. */
  readonly channelPauseMs: number | null;
}

/**
 * Keeps what became of an errand that failed: a state of the binding for operators, and when it is tried again. Without a word of the
 * channel's that nothing was written, nobody knows: a message is looked for before it is posted again.
 */
export async function failErrand(tx: Tx, errand: ErrandRow, owner: number, error: Error): Promise<Failed> {
  const fault = error instanceof ChannelFault ? error : null;
  const failure = storable(error.message, FAILURE_CHARACTERS);
  const isNews =
    isOfThread(errand) && (await saveFault(tx, errand.conversation ?? '', { state: fault?.state ?? 'unavailable', message: failure }));
  const isStuck = errand.attempts + 1 === RETRY.maxAttempts;
  const isAlarming = fault === null || fault.state === 'unavailable' ? isStuck : isNews && !PASSING.includes(fault.state);
  if (isAlarming && errand.conversation !== null) await alert(tx, errand.conversation, `control: ${fault?.state ?? 'failed'}: ${failure}`);
  await step(tx, errand, owner, { fault, failure });
  const asked = fault?.state === 'rate_limited' ? fault.retryAfterMs : null;
  return { failure, state: fault?.state ?? null, isAlarming, channelPauseMs: asked };
}

function isOfThread({ kind, conversation }: ErrandRow): boolean {
  return conversation !== null && OF_THREAD.includes(kind);
}

async function step(
  tx: Tx,
  errand: ErrandRow,
  owner: number,
  { fault, failure }: { fault: ChannelFault | null; failure: string },
): Promise<unknown> {
  const failures = errand.attempts + 1;
  const isGivenUp = GIVEN_UP.includes(errand.kind) && failures >= RETRY.maxAttempts;
  if (fault?.state === 'refused' || isGivenUp) return endErrand(tx, errand, owner, 'refuse', failure);
  if (fault?.state === 'thread_gone') return replaceThread(tx, errand, owner, failure);
  const pauseMs = Math.max(backoff(RETRY, failures), Math.min(fault?.retryAfterMs ?? 0, LONGEST_PAUSE_MS));
  if (fault?.state === 'message_gone')
    return retryErrand(tx, errand, owner, { failure, how: 'again', key: randomUUID(), pauseMs: failures > 2 ? pauseMs : 0 });
  const isUnknown = errand.kind === 'post' && errand.message === null && (fault === null || errand.state === 'looking');
  return retryErrand(tx, errand, owner, { failure, how: isUnknown ? 'lose' : 'again', pauseMs });
}

/** What was in it is gone with it; a thread that is to be closed is closed enough. */
async function replaceThread(tx: Tx, errand: ErrandRow, owner: number, failure: string): Promise<unknown> {
  if (errand.kind === 'archive' || errand.kind === 'unarchive') return finishErrand(tx, errand, owner, null);
  await doubtThread(tx, errand.conversation ?? '');
  const pauseMs = errand.attempts === 0 ? 0 : backoff(RETRY, errand.attempts);
  return retryErrand(tx, errand, owner, { failure, how: 'again', pauseMs });
}

async function alert(tx: Tx, conversation: string, reason: string): Promise<void> {
  const about = { conversation, at: await clock(tx), by: 'worker', receipt: null, sequence: null };
  await insertNotes(tx, [{ ...about, kind: 'alert', reason }]);
}
