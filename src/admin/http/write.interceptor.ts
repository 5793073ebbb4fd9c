import { createHash } from 'node:crypto';
import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { insertAudit } from '../../core/audit/audits.js';
import { duringWrite, PendingAudit } from '../../core/audit/pending-audit.js';
import { finishKey, type KeyedRequest, releaseKey, reserveKey } from '../../core/idempotency/idempotency-keys.js';
import { Database } from '../../database/database.js';
import { DomainError } from '../../plugin/index.js';
import { type Caller, callerOf } from '../access/caller.js';
import { badParameter, FirstRefusal, IdempotencyKeyInUse, IdempotencyKeyReused, Recovering } from '../errors.js';
import { HostView } from '../host-view.js';
import { asRefusal, reading } from './reading.js';
import { WRITE, type WriteInfo } from './write.js';

const LONGEST_KEY = 255;

interface Refusal {
  readonly code: string;
  readonly message: string;
}

/** Does a write once per Idempotency-Key and puts it into the audit log, also when it was refused for what it would do. */
@Injectable()
export class WriteInterceptor implements NestInterceptor {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(HostView) private readonly host: HostView,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const write = this.reflector.get<WriteInfo | undefined>(WRITE, context.getHandler());
    const work = () => lastValueFrom(next.handle());
    return from(write === undefined ? this.read(work) : this.write(context, write, work));
  }

  private async read(work: () => Promise<unknown>): Promise<unknown> {
    try {
      return await work();
    } catch (error) {
      throw asRefusal(this.database, error);
    }
  }

  private async write(context: ExecutionContext, write: WriteInfo, work: () => Promise<unknown>): Promise<unknown> {
    if (!this.host.readiness().recovered) throw new Recovering();
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const caller = callerOf(request);
    const keyed = keyedRequest(request, caller);
    if (keyed !== null) {
      const reservation = await reading(this.database, (tx) => reserveKey(tx, keyed));
      if (reservation.is === 'other_request') throw new IdempotencyKeyReused();
      if (reservation.is === 'running') throw new IdempotencyKeyInUse();
      if (reservation.is === 'finished') return again(reply, reservation);
    }
    const audit = new PendingAudit(entryOf(request, caller, write, 'done'));
    const result = await duringWrite(audit, work).catch(async (error: unknown) => {
      await this.refuse(error, request, caller, write, keyed);
      throw asRefusal(this.database, error);
    });
    // It is done: where this fails the key stays taken, since whoever sends it again would do it again.
    await this.finish(audit.isStored ? null : audit.entry, keyed, {
      status: reply.statusCode,
      response: JSON.stringify(withoutFields(result ?? null, write.once)),
    });
    return result;
  }

  /** Most writes have stored their line themselves, together with what they did. */
  private async finish(entry: Entry | null, keyed: KeyedRequest | null, result: { status: number; response: string }): Promise<void> {
    if (entry === null && keyed === null) return;
    await reading(this.database, async (tx) => {
      if (entry !== null) await insertAudit(tx, entry);
      if (keyed !== null) await finishKey(tx, keyed, result);
    });
  }

  /** What was refused for the state of things stays refused under its key; what was malformed, or failed, was never begun. */
  private async refuse(
    error: unknown,
    request: FastifyRequest,
    caller: Caller,
    write: WriteInfo,
    keyed: KeyedRequest | null,
  ): Promise<void> {
    if (error instanceof DomainError && (error.status === 404 || error.status === 409)) {
      const { code, message, status } = error;
      await this.finish(entryOf(request, caller, write, code), keyed, {
        status,
        response: JSON.stringify({ code, message } satisfies Refusal),
      });
    } else if (keyed !== null) {
      // The error that is being told says more than that the key could not be released.
      await this.database.transaction((tx) => releaseKey(tx, keyed)).catch(() => undefined);
    }
  }
}

type Entry = Parameters<typeof insertAudit>[1];

function entryOf(request: FastifyRequest, caller: Caller, { action, kept }: WriteInfo, result: string): Entry {
  const asked = [request.query, request.body].flatMap((part) => (typeof part === 'object' && part !== null ? Object.entries(part) : []));
  const fields = Object.fromEntries(asked.filter(([name]) => kept.includes(name)));
  return { org: caller.org, actor: caller.actor, action, target: targetOf(request.params), detail: JSON.stringify({ result, ...fields }) };
}

function targetOf(params: unknown): string {
  return typeof params === 'object' && params !== null ? Object.values(params).join('/') : '';
}

function keyedRequest(request: FastifyRequest, { org }: Caller): KeyedRequest | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || key.length === 0 || key.length > LONGEST_KEY)
    throw badParameter('Idempotency-Key', `should have 1 to ${LONGEST_KEY} characters`);
  const [address] = request.url.split('?', 1);
  const asked = JSON.stringify([request.method, address, request.body ?? null]);
  return { org, key, request: createHash('sha256').update(asked).digest() };
}

/** What is stored of an answer. */
function withoutFields(result: unknown, names: readonly string[]): unknown {
  if (names.length === 0 || typeof result !== 'object' || result === null) return result;
  return { ...result, ...Object.fromEntries(names.map((name) => [name, null])) };
}

function again(reply: FastifyReply, { status, response }: { status: number; response: string }): unknown {
  reply.header('idempotency-replayed', 'true');
  const body: unknown = JSON.parse(response);
  if (status < 400) return body;
  const { code, message } = body as Refusal;
  throw new FirstRefusal(status, code, message);
}
