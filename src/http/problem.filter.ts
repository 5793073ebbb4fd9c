import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestAborted } from './http-errors.js';
import { problemOf } from './problem.js';

/** Every error of ours, of Nest and of Fastify leaves as problem details. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly log = new Logger('Http');

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    if (error instanceof RequestAborted) {
      reply.hijack();
      reply.raw.destroy();
      return;
    }
    if (reply.sent || reply.raw.destroyed) return;
    const problem = problemOf(error, request.id);
    if (problem.status >= 500)
      this.log.error(`${request.method} ${request.routeOptions.url ?? '(no route)'} ${problem.code} ${problem.instance}`, stackOf(error));
    const wait = retryAfterOf(error);
    if (wait !== null) reply.header('retry-after', String(wait));
    reply.status(problem.status).header('content-type', 'application/problem+json; charset=utf-8').send(JSON.stringify(problem));
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : 'something that is no Error was thrown';
}

/** Whole seconds, where the error says how long to wait. */
function retryAfterOf(error: unknown): number | null {
  if (!(error instanceof Error) || !('retryAfterSeconds' in error)) return null;
  return typeof error.retryAfterSeconds === 'number' ? Math.max(1, Math.ceil(error.retryAfterSeconds)) : null;
}
