/** A failure that a caller can act on. `code` is public and never changes its meaning; `status` is the HTTP status it is answered with. */
export abstract class DomainError extends Error {
  abstract readonly code: string;
  abstract readonly status: number;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** One thing that is wrong in what the caller sent: where, and what would be right. */
export interface Fault {
  /** Dotted path of the offending value, for example `routes.triage.on[0]`; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

/** What the caller sent is wrong in one or more places. */
export class InvalidInput extends DomainError {
  readonly code: string = 'invalid_input';
  readonly status: number = 400;

  constructor(
    message: string,
    readonly faults: readonly Fault[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** What was asked for does not exist, or belongs to another organisation. */
export class NotFound extends DomainError {
  readonly code: string = 'not_found';
  readonly status = 404;
}

/** The thing is in a state that does not allow what was asked; read it again before the next try. */
export class Conflict extends DomainError {
  readonly code: string = 'conflict';
  readonly status = 409;
}

/** The provider refused, or could not be reached in a way that surely changed nothing. */
export class ProviderFault extends DomainError {
  readonly code = 'provider_fault';
  readonly status = 502;

  constructor(
    message: string,
    readonly kind: 'transient' | 'permanent' | 'unauthorized',
    readonly retryAfterMs: number | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A write may have reached the provider, and nothing says whether it took effect: a timeout, a dropped connection, a 5xx. */
export class OutcomeUnknown extends DomainError {
  readonly code = 'outcome_unknown';
  readonly status = 502;
}

/** Retrying cannot mend it: a person must change the configuration. */
export class ConfigFault extends Error {
  override readonly name = 'ConfigFault';
}
