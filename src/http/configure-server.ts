import { randomUUID } from 'node:crypto';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { useBodyParser } from './body-parser.js';
import { answerClientError } from './client-error.js';
import type { HttpOptions } from './http-options.js';
import { ProblemFilter } from './problem.filter.js';
import { refuseByHeaders } from './refuse-by-headers.js';

/** Longer than any name or id that we give out, so that a wrong one is answered by its route. */
const LONGEST_PARAMETER = 1_024;

const OF_ALL = { 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' };
const OF_JSON = { 'cache-control': 'no-store', 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" };

export function fastifyAdapter(options: HttpOptions): FastifyAdapter {
  const problems = new ProblemFilter();
  return new FastifyAdapter({
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    bodyLimit: options.bodyLimit,
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    requestTimeout: options.requestTimeoutMs,
    connectionTimeout: options.idleTimeoutMs,
    keepAliveTimeout: options.keepAliveTimeoutMs,
    // Node exchanges the two when headers may take longer than the whole, and a slow body would then have the longer time.
    http: {
      requireHostHeader: false,
      connectionsCheckingInterval: options.timeoutCheckMs,
      headersTimeout: Math.min(options.headersTimeoutMs, options.requestTimeoutMs),
    },
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => problems.answer(error, request, reply),
  });
}

/** Sets up what no route should have to think of. Call it before `init` or `listen`. */
export function configureServer(app: NestFastifyApplication, options: HttpOptions): void {
  const server: FastifyInstance = app.getHttpAdapter().getInstance();
  server.decorate('publicUrl', options.publicUrl?.replace(/\/+$/, '') ?? null);
  refuseByHeaders(server);
  useBodyParser(server, options.bodyLimit);
  useSecurityHeaders(server, options.publicUrl?.startsWith('https:') ?? false);
  server.addHook('onResponse', (request, _reply, done) => {
    lingerThenCut(request, options.lingerMs);
    done();
  });
  app.useGlobalFilters(new ProblemFilter());
}

function useSecurityHeaders(server: FastifyInstance, isHttps: boolean): void {
  const ofAll = { ...OF_ALL, ...(isHttps && { 'strict-transport-security': 'max-age=31536000' }) };
  server.addHook('onSend', (request, reply, _payload, done) => {
    reply.header('x-request-id', request.id);
    reply.headers(ofAll);
    if (String(reply.getHeader('content-type') ?? '').includes('json')) reply.headers(OF_JSON);
    done();
  });
}

/**
 * A refusal may leave before the body is in. Closing at once would reset the connection, and the client might never read why;
 * so what still comes is thrown away for a moment, and no longer than that.
 */
function lingerThenCut({ raw }: FastifyRequest, lingerMs: number): void {
  if (raw.complete || raw.destroyed) return;
  const timer = setTimeout(() => raw.destroy(), lingerMs).unref();
  raw.once('close', () => clearTimeout(timer)).resume();
}
