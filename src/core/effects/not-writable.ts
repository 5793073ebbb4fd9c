import { DomainError } from '../../plugin/index.js';

/** Nothing was sent to the provider, and nothing will be: the same write may be asked for again. */
export class NotWritable extends DomainError {
  readonly code = 'not_writable';
  readonly status = 503;
  readonly retryAfterSeconds = 5;
}
