import { DomainError, InvalidInput, NotFound } from '../plugin/index.js';

export class UnknownSource extends NotFound {
  override readonly code = 'unknown_source';

  constructor() {
    super('There is no such source of events; the last part of the address must be the name of a configured connection.');
  }
}

abstract class NotAuthentic extends DomainError {
  readonly status = 401;
}

export class SignatureMissing extends NotAuthentic {
  readonly code = 'signature_missing';

  constructor(header: string | null) {
    super(`The request has no ${header === null ? 'signature' : `header ${header}`}; configure the provider with the connection's secret.`);
  }
}

export class SignatureInvalid extends NotAuthentic {
  readonly code = 'signature_invalid';

  constructor() {
    super("The signature does not belong to these bytes and any of the connection's secrets.");
  }
}

export class TimestampOutOfWindow extends NotAuthentic {
  readonly code = 'timestamp_out_of_window';

  /** `ageMs`: negative for a time in the future; null: the verifier did not say. */
  constructor(ageMs: number | null) {
    const when =
      ageMs === null
        ? 'outside the time'
        : `${Math.abs(Math.round(ageMs / 1000))} s ${ageMs < 0 ? 'in the future' : 'ago'}, outside the time`;
    super(`The signature is right, but it was made ${when} that this source accepts.`);
  }
}

export class InvalidPayload extends InvalidInput {
  override readonly code = 'invalid_payload';
}

export class RateLimited extends DomainError {
  readonly code = 'rate_limited';
  readonly status = 429;

  constructor(readonly retryAfterSeconds: number) {
    super('The source has used up its budget of events; send the same request again later.');
  }
}
