import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** The configured address without a slash at its end, or null. */
    publicUrl: string | null;
  }
}

/** The URL as the client meant it: the configured address if there is one, else as the request, or a trusted proxy, says. */
export function publicUrlOf(request: FastifyRequest): string {
  const { publicUrl } = request.server;
  return `${publicUrl ?? `${request.protocol}://${request.host}`}${request.originalUrl}`;
}
