import { ChannelFault, type ChannelState, ConfigFault, OutcomeUnknown, ProviderFault } from 'throughline/plugin';

/**
 * Why a request to the homeserver did not do what it should.
 *
 *   refused      the homeserver answered that it does not do it; `code` is its own
 *   limited      not before `retryAfterMs`
 *   signed_out   the access token is not valid (any more), and there is no way to a new one
 *   unreached    the request surely did not arrive
 *   unknown      it may have been done: no answer, or one that does not say
 */
export type FailureKind = 'refused' | 'limited' | 'signed_out' | 'unreached' | 'unknown';

export interface FailureDetails {
  readonly status?: number;
  /** For example `M_FORBIDDEN`. */
  readonly code?: string;
  readonly retryAfterMs?: number;
  /** The session may be begun anew with the same device. */
  readonly isSoft?: boolean;
}

/** A failed request, in words that hold no token and no content. */
export class MatrixFailure extends Error {
  override readonly name = 'MatrixFailure';

  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly details: FailureDetails = {},
  ) {
    super(message);
  }
}

export function isRefusal(error: unknown, ...codes: readonly string[]): error is MatrixFailure {
  return error instanceof MatrixFailure && error.kind === 'refused' && codes.includes(error.details.code ?? '');
}

/** A read that failed, as the host takes it: nothing was changed. */
export function faultOfRead(error: unknown): unknown {
  if (!(error instanceof MatrixFailure)) return error;
  const { kind, message, details } = error;
  if (kind === 'signed_out') return new ConfigFault(message);
  return new ProviderFault(message, kind === 'refused' ? 'permanent' : 'transient', details.retryAfterMs ?? null, { cause: error });
}

/** A write that failed: a `ProviderFault` where surely nothing was written. */
export function faultOfWrite(error: unknown): unknown {
  if (!(error instanceof MatrixFailure)) return error;
  const { kind, message, details } = error;
  if (kind === 'unknown') return new OutcomeUnknown(message, { cause: error });
  const meaning = kind === 'signed_out' ? 'unauthorized' : kind === 'refused' ? 'permanent' : 'transient';
  return new ProviderFault(message, meaning, details.retryAfterMs ?? null, { cause: error });
}

/** What a request was about: an unknown room is the parent that is gone, an unknown event the thread or the message. */
export type About = 'thread' | 'message';

/** A request for a channel that failed. */
export function faultOfChannel(error: unknown, about: About): unknown {
  if (!(error instanceof MatrixFailure)) return error;
  const { kind, message, details } = error;
  const because = { cause: error };
  switch (kind) {
    case 'limited':
      return new ChannelFault('rate_limited', message, details.retryAfterMs ?? null, because);
    case 'unreached':
      return new ChannelFault('unavailable', message, null, because);
    case 'signed_out':
      return new ChannelFault('forbidden', message, null, because);
    case 'unknown':
      return new OutcomeUnknown(message, because);
    case 'refused':
      return new ChannelFault(stateOf(details, about), message, null, because);
  }
}

function stateOf({ code, status }: FailureDetails, about: About): ChannelState {
  if (code === 'M_FORBIDDEN' || status === 403) return 'forbidden';
  if (code === 'M_NOT_FOUND' || status === 404) return about === 'thread' ? 'thread_gone' : 'message_gone';
  return 'refused';
}
