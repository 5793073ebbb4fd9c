import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isConversationId } from '../../core/conversations/conversation-id.js';
import { runOfSecret } from '../../core/runs/list-runs.js';
import { readRun } from '../../core/runs/run-rows.js';
import { Database } from '../../database/database.js';
import { NotFound } from '../../plugin/index.js';
import { secretHash } from '../access/secret.js';
import { Forbidden, Unauthenticated } from '../errors.js';
import { reading } from '../http/reading.js';

const BEARER = /^Bearer +([\x21-\x7e]{1,512})$/i;

/** Lets in whoever has the token that was given to this very run. */
@Injectable()
export class RunTokenGuard implements CanActivate {
  constructor(@Inject(Database) private readonly database: Database) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest<{ Params: { id: string } }>>();
    try {
      await this.admit(request.params.id, request.headers.authorization);
    } catch (error) {
      if (error instanceof Unauthenticated) http.getResponse<FastifyReply>().header('www-authenticate', 'Bearer realm="throughline run"');
      throw error;
    }
    return true;
  }

  private async admit(id: string, authorization: string | undefined): Promise<void> {
    const [, token] = BEARER.exec(authorization ?? '') ?? [];
    if (token === undefined) throw new Unauthenticated('Send the token of the run as `Authorization: Bearer <token>`.');
    const owner = await reading(this.database, (tx) => runOfSecret(tx, secretHash(token)));
    if (owner === null) throw new Unauthenticated('This is the token of no run.');
    if (owner.id === id) return;
    const exists = isConversationId(id) && (await reading(this.database, (tx) => readRun(tx, id))) !== null;
    if (!exists) throw new NotFound(`There is no run ${id}.`);
    throw new Forbidden('This is the token of another run.');
  }
}
