import { Conflict, DomainError, type Fault, InvalidInput } from '../plugin/index.js';

export class Unauthenticated extends DomainError {
  readonly code = 'unauthenticated';
  readonly status = 401;
}

export class Forbidden extends DomainError {
  readonly code = 'forbidden';
  readonly status = 403;
}

/** The key stands for another request already. */
export class IdempotencyKeyReused extends DomainError {
  readonly code = 'idempotency_key_reused';
  readonly status = 422;

  constructor() {
    super('This Idempotency-Key was sent with another request before; take a new one.');
  }
}

/** The first request with the key is still at work: its result is not known yet. */
export class IdempotencyKeyInUse extends Conflict {
  override readonly code = 'idempotency_key_in_use';
  readonly retryAfterSeconds = 1;

  constructor() {
    super('A request with this Idempotency-Key is being worked on; send it again in a moment to get its result.');
  }
}

export class ConversationTerminal extends Conflict {
  override readonly code = 'conversation_terminal';

  constructor(id: string) {
    super(`Conversation ${id} is terminal; reopen it first.`);
  }
}

/** No more requests of this kind at the moment. */
export class TooManyStreams extends DomainError {
  readonly code = 'rate_limited';
  readonly status = 429;
  readonly retryAfterSeconds = 10;

  constructor(limit: number) {
    super(`${limit} event streams are open, which is as many as this server keeps; close one first.`);
  }
}

/** What an earlier process left behind is being taken care of; until then nobody changes it by hand. */
export class Recovering extends DomainError {
  readonly code = 'recovering';
  readonly status = 503;
  readonly retryAfterSeconds = 2;

  constructor() {
    super('The server is still recovering what an earlier process left behind; send it again in a moment.');
  }
}

/** A refusal that was given before, given again. */
export class FirstRefusal extends DomainError {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export function badParameter(path: string, message: string): InvalidInput {
  return new InvalidInput(`${path} ${message}`, [{ path, message } satisfies Fault]);
}
