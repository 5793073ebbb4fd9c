/** What the placeholders of a scheme's `content` stand for. Texts are used as they stood in the request, never re-rendered. */
export interface ContentParts {
  readonly body: Buffer;
  /** Asked for where the scheme signs it. */
  readonly url: () => string;
  readonly timestamp: string | null;
  readonly id: string | null;
}

/** What most providers sign. */
const BODY_ALONE = '{body}';
const PLACEHOLDER = /\{(body|timestamp|id|url)\}/;

/** The bytes that are signed, in pieces, or null when the request lacks one of them or could be cut in two ways. */
export function signedContent(template: string, parts: ContentParts): Buffer[] | null {
  if (template === BODY_ALONE) return [parts.body];
  // Splitting by a capturing pattern gives literals at even places and placeholder names at odd ones.
  const tokens = template.split(PLACEHOLDER);
  const pieces: Buffer[] = [];
  for (const [index, token] of tokens.entries()) {
    const piece = index % 2 === 0 ? Buffer.from(token) : partOf(token, parts);
    if (piece === null) return null;
    if (index % 2 === 1 && token === 'id' && isAmbiguous(parts.id, tokens[index + 1])) return null;
    pieces.push(piece);
  }
  return pieces;
}

function partOf(name: string, parts: ContentParts): Buffer | null {
  if (name === 'body') return parts.body;
  const text = name === 'url' ? parts.url() : name === 'timestamp' ? parts.timestamp : parts.id;
  return text === null ? null : Buffer.from(text);
}

/** An id that holds the text which ends it could hand its tail to the next part without changing the signed bytes. */
function isAmbiguous(id: string | null, following: string | undefined): boolean {
  return id !== null && following !== undefined && following !== '' && id.includes(following.charAt(0));
}
