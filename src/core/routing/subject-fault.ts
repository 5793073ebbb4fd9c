import type { Subject } from '../../plugin/index.js';

/** Code points of a subject's key or namespace. */
const MAX_LENGTH = 500;

/** Why a subject can't be the identity of a conversation, or null. Nothing is trimmed, cut or normalised: that would merge subjects. */
export function subjectFault(subject: Subject): string | null {
  return identityFault(subject.namespace) ?? identityFault(subject.key);
}

function identityFault(text: string): string | null {
  if (text.trim() === '') return 'subject_blank';
  // A code point has at most two units, so what is longer than that need not be counted.
  if (text.length > 2 * MAX_LENGTH || (text.length > MAX_LENGTH && [...text].length > MAX_LENGTH)) return 'subject_too_long';
  // Neither can be stored in every database, nor is there one UTF-8 form of a lone surrogate to derive an id from.
  return text.includes('\0') || !text.isWellFormed() ? 'subject_malformed' : null;
}
