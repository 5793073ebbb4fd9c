import { DomainError } from '../../plugin/index.js';

/** The store cannot take a write now; nothing was left behind, so the same request may come again. */
export class StoreUnavailable extends DomainError {
  readonly code = 'store_unavailable';
  readonly status = 503;

  constructor(
    message = 'The store does not accept writes at the moment; send the same request again later.',
    readonly retryAfterSeconds = 5,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
