import { parseInteraction } from './interaction-events.js';
import { fields } from './json.js';

const MESSAGE = 4;
const DEFERRED = 5;

/** Seen by nobody but the person who pressed or typed. */
const EPHEMERAL = 64;

/** The first answer to an interaction, which Discord wants within 3 s: the true one follows, when the host has it. */
export function firstReply(interaction: unknown): { type: number; data: object } {
  const isUnderstood = parseInteraction(fields(interaction) ?? {})?.kind === 'action';
  if (isUnderstood) return { type: DEFERRED, data: { flags: EPHEMERAL } };
  const content = 'This button or command means nothing here (any more).';
  return { type: MESSAGE, data: { content, flags: EPHEMERAL, allowed_mentions: { parse: [] } } };
}
