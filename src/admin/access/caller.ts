import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ROLES, type Role } from '../../core/tokens/tokens.js';
import { Unauthenticated } from '../errors.js';

/** Who asks, and for which organisation. */
export interface Caller {
  /** As decisions and the audit log name them. */
  readonly actor: string;
  readonly org: string;
  readonly role: Role;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller?: Caller;
  }
}

export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Unauthenticated('The request was not authenticated.');
  return request.caller;
}

export function mayAct(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** The caller that the guard let in. */
export const By = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
