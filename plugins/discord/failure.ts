/**
 * Why a request to Discord did not do what it should.
 *
 *   refused      Discord answered that it does not do it; `code` is its own
 *   limited      not before `retryAfterMs`
 *   unreached    the request surely did not arrive
 *   unknown      it may have been done: no answer, or one that does not say
 */
export type FailureKind = 'refused' | 'limited' | 'unreached' | 'unknown';

/** A failed request, in words that hold no token and no content. */
export class DiscordFailure extends Error {
  override readonly name = 'DiscordFailure';

  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly details: { readonly status?: number; readonly code?: number; readonly retryAfterMs?: number } = {},
  ) {
    super(message);
  }

  /** Is it one of these answers of Discord's? */
  is(...codes: readonly number[]): boolean {
    return this.details.code !== undefined && codes.includes(this.details.code);
  }
}

export function isFailure(error: unknown, ...codes: readonly number[]): error is DiscordFailure {
  return error instanceof DiscordFailure && error.is(...codes);
}
