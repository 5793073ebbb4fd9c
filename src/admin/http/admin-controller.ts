import { applyDecorators, Controller, UseGuards, UseInterceptors, UsePipes } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { BearerGuard, Needs } from '../access/bearer.guard.js';
import { Refuses } from './refuses.js';
import { RequestPipe } from './request.pipe.js';
import { WriteInterceptor } from './write.interceptor.js';

/** A resource of the admin API: viewers may read it, and every handler that does more says so. */
export function AdminController(path: string, tag: string): ClassDecorator {
  return applyDecorators(
    Controller(path),
    UseGuards(BearerGuard),
    UsePipes(RequestPipe),
    UseInterceptors(WriteInterceptor),
    Needs('viewer'),
    ApiTags(tag),
    ApiBearerAuth(),
    Refuses(400, 401, 403, 503),
  );
}
