import { applyDecorators, HttpCode, SetMetadata } from '@nestjs/common';
import type { Role } from '../../core/tokens/tokens.js';
import { ApiHeader, ApiOperation } from '../../http/documented.js';
import { Needs } from '../access/bearer.guard.js';
import { Refuses } from './refuses.js';

export interface WriteInfo {
  /** As the audit log names it, for example `conversation.stop`. */
  readonly action: string;
  /** Fields of the body that the audit log keeps; never texts of messages. */
  readonly kept: readonly string[];
  /** Fields of the answer that are told once and stored nowhere: under an Idempotency-Key they are null from then on. */
  readonly once: readonly string[];
}

export const WRITE = 'throughline:write';

interface WriteOptions {
  readonly action: string;
  readonly summary: string;
  readonly kept?: readonly string[];
  readonly once?: readonly string[];
  readonly role?: Role;
  readonly status?: number;
}

/** A handler that changes something: it is audited, and takes an Idempotency-Key. */
export function Write({ action, summary, kept = [], once = [], role = 'operator', status = 200 }: WriteOptions): MethodDecorator {
  return applyDecorators(
    SetMetadata(WRITE, { action, kept, once } satisfies WriteInfo),
    Needs(role),
    HttpCode(status),
    ApiOperation({ summary, description: `Needs the role ${role}. Audited as \`${action}\`.` }),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description: 'Up to 255 characters. The same request with the same key is done once; its first result is answered again.',
    }),
    Refuses(409, 422),
  );
}
