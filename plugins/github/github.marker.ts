import { createHmac, timingSafeEqual } from 'node:crypto';

const MARKER = /<!-- throughline:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\.([0-9a-f]{64}))? -->$/;
const LONGEST_MARKER = 130;

/** What stands at the end of a comment of ours, where GitHub shows it to nobody. */
export interface Marker {
  readonly key: string;
  /** What only we could have made of this text in this place; null: the comment is a tool's, and its effect tells whose it is. */
  readonly proof: string | null;
}

export function marked(text: string, key: string): string {
  return `${text}\n\n<!-- throughline:${key} -->`;
}

/** The marker of a post of the channel: it proves that it is ours, also under an account that a person shares. */
export function signed(text: string, key: string, thread: string, secret: string | undefined): string {
  if (secret === undefined) return marked(text, key);
  return `${text}\n\n<!-- throughline:${key}.${proofOf(text, key, thread, secret)} -->`;
}

export function markerOf(body: unknown): Marker | null {
  const end = typeof body === 'string' ? body.trimEnd().slice(-LONGEST_MARKER) : '';
  const [, key, proof] = MARKER.exec(end) ?? [];
  return key === undefined ? null : { key, proof: proof ?? null };
}

/**
 * Is the comment a post of the channel? Its text is part of the proof, so a marker that somebody copies under words of their own proves
 * nothing.
 */
export function isSigned(body: unknown, thread: string, secrets: readonly string[]): boolean {
  const { key, proof } = markerOf(body) ?? {};
  if (key === undefined || !proof || typeof body !== 'string') return false;
  const [text, given] = [body.slice(0, body.lastIndexOf('<!--')), Buffer.from(proof)];
  return secrets.some((secret) => timingSafeEqual(Buffer.from(proofOf(text, key, thread, secret)), given));
}

/** GitHub may change line ends, and cuts white space around a comment. */
function proofOf(text: string, key: string, thread: string, secret: string): string {
  const tidy = text.replaceAll('\r', '').trim();
  return createHmac('sha256', secret)
    .update(JSON.stringify(['throughline comment', thread, key, tidy]))
    .digest('hex');
}
