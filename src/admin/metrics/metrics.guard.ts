import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BearerGuard } from '../access/bearer.guard.js';

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

/** Open to this very machine; everybody else needs to be a viewer. */
@Injectable()
export class MetricsGuard implements CanActivate {
  constructor(@Inject(BearerGuard) private readonly bearer: BearerGuard) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    if (!isLocal(request)) await this.bearer.admit(request, http.getResponse<FastifyReply>(), 'viewer');
    return true;
  }
}

/** A proxy on this machine is local too, and those whom it speaks for are not. */
function isLocal({ ip, headers }: FastifyRequest): boolean {
  return LOOPBACK.test(ip) && headers['x-forwarded-for'] === undefined && headers['forwarded'] === undefined;
}
