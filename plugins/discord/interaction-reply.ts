import type { AcceptResult } from 'throughline/plugin';

const MESSAGE = 4;
const DEFERRED = 5;

/** Seen by nobody but the person who pressed or typed. */
const EPHEMERAL = 64;

/** The first answer to an interaction, which Discord wants within 3 s: the true one follows, when the host has it. */
export function firstReply({ disposition }: Pick<AcceptResult, 'disposition'>): { type: number; data: object } {
  const isUnderstood = disposition !== 'recorded' && disposition !== 'ignored';
  if (isUnderstood) return { type: DEFERRED, data: { flags: EPHEMERAL } };
  const content = 'This button or command means nothing here (any more).';
  return { type: MESSAGE, data: { content, flags: EPHEMERAL, allowed_mentions: { parse: [] } } };
}
