import { DomainError, InvalidInput } from '../plugin/index.js';

export class BodyTooLarge extends DomainError {
  readonly code = 'body_too_large';
  readonly status = 413;

  constructor(limit: number) {
    super(`The body is larger than the ${limit} bytes that this address takes.`);
  }
}

export class UnsupportedMediaType extends DomainError {
  readonly code = 'unsupported_media_type';
  readonly status = 415;
}

export class InvalidJson extends InvalidInput {
  override readonly code = 'invalid_json';
}

/** HTTP/1.1 asks for it, and without it nobody knows which address was meant. */
export class MissingHost extends InvalidInput {
  override readonly code = 'missing_host';

  constructor() {
    super('The request has no Host header, which HTTP/1.1 requires.');
  }
}

export class ExpectationFailed extends DomainError {
  readonly code = 'expectation_failed';
  readonly status = 417;

  constructor() {
    super('The server meets no expectation but 100-continue.');
  }
}

/** The client went away in the middle of its own request: there is nobody to answer and nothing to mend. */
export class RequestAborted extends DomainError {
  readonly code = 'request_aborted';
  readonly status = 400;

  constructor() {
    super('The connection was closed before the body was complete.');
  }
}
