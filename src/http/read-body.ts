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
  const onEnd = (): void => resolve(Buffer.concat(chunks, length));
  const onLost = (): void => reject(new RequestAborted());

  request.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost);
  try {
    return await promise;
  } finally {
    // The listener for errors stays: one that comes later, on a request that was refused, must find somebody.
    request.off('data', onData).off('end', onEnd).off('close', onLost);
  }
}
