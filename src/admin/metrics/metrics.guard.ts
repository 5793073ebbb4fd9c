import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLocalRequest } from '../../http/local-request.js';
import { BearerGuard } from '../access/bearer.guard.js';

/** Open to this very machine; everybody else needs to be a viewer. */
@Injectable()
export class MetricsGuard implements CanActivate {
  constructor(@Inject(BearerGuard) private readonly bearer: BearerGuard) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    if (!isLocalRequest(request)) await this.bearer.admit(request, http.getResponse<FastifyReply>(), 'viewer');
    return true;
  }
}
