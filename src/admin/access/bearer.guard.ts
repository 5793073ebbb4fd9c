import { type CanActivate, type ExecutionContext, Inject, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Role } from '../../core/tokens/tokens.js';
import { Forbidden, Unauthenticated } from '../errors.js';
import { mayAct } from './caller.js';
import { Callers } from './callers.js';

const NEEDS = 'throughline:needs';

/** The role that a controller or one of its handlers needs. Without it, only an admin may. */
export const Needs = (role: Role) => SetMetadata(NEEDS, role);

@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(Callers) private readonly callers: Callers,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const needed = this.reflector.getAllAndOverride<Role | undefined>(NEEDS, [context.getHandler(), context.getClass()]) ?? 'admin';
    await this.admit(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), needed);
    return true;
  }

  async admit(request: FastifyRequest, reply: FastifyReply, needed: Role): Promise<void> {
    try {
      const caller = await this.callers.identify(request.headers.authorization, orgOf(request.query));
      if (!mayAct(caller.role, needed)) throw new Forbidden(`This needs the role ${needed}; the token has the role ${caller.role}.`);
      request.caller = caller;
    } catch (error) {
      if (error instanceof Unauthenticated) reply.header('www-authenticate', 'Bearer realm="throughline"');
      throw error;
    }
  }
}

function orgOf(query: unknown): string | null {
  if (typeof query !== 'object' || query === null || !('org' in query)) return null;
  return typeof query.org === 'string' ? query.org : null;
}
