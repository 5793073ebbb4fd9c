import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** The configured address without a slash at its end, or null. */
    publicUrl: string | null;
  }
}

/** The server as the client knows it: the configured address if there is one, else as the request, or a trusted proxy, says. */
export function publicOrigin(request: FastifyRequest): string {
  return request.server.publicUrl ?? `${request.protocol}://${request.host}`;
}

/** The URL as the client meant it. */
export function publicUrlOf(request: FastifyRequest): string {
  return `${publicOrigin(request)}${request.originalUrl}`;
}
