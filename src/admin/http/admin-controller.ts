import { applyDecorators, Controller, UseGuards, UseInterceptors, UsePipes } from '@nestjs/common';
import type { Role } from '../../core/tokens/tokens.js';
import { ApiBearerAuth, ApiTags } from '../../http/documented.js';
import { BearerGuard, Needs } from '../access/bearer.guard.js';
import { Refuses } from './refuses.js';
import { RequestPipe } from './request.pipe.js';
import { WriteInterceptor } from './write.interceptor.js';

/** A resource of the admin API. `role` is what it needs; handlers that need more say so. */
export function AdminController(path: string, tag: string, role: Role = 'viewer'): ClassDecorator {
  return applyDecorators(
    Controller(path),
    UseGuards(BearerGuard),
    UsePipes(RequestPipe),
    UseInterceptors(WriteInterceptor),
    Needs(role),
    ApiTags(tag),
    ApiBearerAuth(),
    Refuses(400, 401, 403, 503),
  );
}
