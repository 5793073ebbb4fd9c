import { ConfigFault, Conflict, InvalidInput, NotFound } from '../plugin/errors.js';
import { NotNow } from './hosted-conversation.js';
import { Unprocessable } from './requests.js';

export interface Refusal {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a caller is told of an error: its own faults in words, ours by name alone. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Unprocessable) return { status: 422, body: { detail: error.faults } };
  if (error instanceof NotNow) return { status: error.how === 'conflict' ? 409 : 400, body: { detail: error.message } };
  if (error instanceof NotFound) return { status: 404, body: { detail: error.message } };
  if (error instanceof Conflict) return { status: 409, body: { detail: error.message } };
  if (error instanceof ConfigFault) return { status: 422, body: { detail: [{ loc: ['body', 'agent'], msg: error.message }] } };
  if (error instanceof InvalidInput) return { status: 400, body: { detail: error.message } };
  const { statusCode, message, name } = (error ?? {}) as { statusCode?: number; message?: string; name?: string };
  if (statusCode !== undefined && statusCode < 500) return { status: statusCode, body: { detail: message ?? 'Bad Request' } };
  return { status: 500, body: { detail: 'Internal Server Error', exception: name ?? 'Error' } };
}
