import type { IncomingMessage } from 'node:http';
import { BodyTooLarge, RequestAborted } from './http-errors.js';

/** The exact bytes of a request's body. Refuses as soon as the limit is passed, by the declared length before the first byte is read. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw new BodyTooLarge(limit);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let length = 0;

  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    if (length > limit) reject(new BodyTooLarge(limit));
    else chunks.push(chunk);
  };
  let isWhole = false;
  const onEnd = (): void => {
    isWhole = true;
    resolve(joined(chunks, length));
  };
  // `close` follows `end` before anybody could take the listener off; an error costs too much to be made for nothing.
  const onLost = (): void => {
    if (!isWhole) reject(new RequestAborted());
  };

  request.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost);
  try {
    return await promise;
  } finally {
    // The listener for errors stays: one that comes later, on a request that was refused, must find somebody.
    request.off('data', onData).off('end', onEnd).off('close', onLost);
  }
}

/** Most bodies come in one piece, which need not be copied. */
function joined(chunks: readonly Buffer[], length: number): Buffer {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length);
}
