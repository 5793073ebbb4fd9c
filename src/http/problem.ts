import { HttpException } from '@nestjs/common';
import { DomainError, type Fault, InvalidInput } from '../plugin/index.js';

/** Problem details of RFC 9457. `code` is stable; `type` is the same as a URI. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly code: string;
  /** Names this one occurrence; it is the request's id in the log. */
  readonly instance: string;
  readonly errors?: readonly Fault[];
}

/** Codes of refusals that come from the frameworks and know only a status. */
const CODES: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  406: 'not_acceptable',
  408: 'request_timeout',
  409: 'conflict',
  413: 'body_too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  417: 'expectation_failed',
  422: 'unprocessable',
  429: 'rate_limited',
  431: 'headers_too_large',
  501: 'not_implemented',
  503: 'unavailable',
};

const LONGEST_WORD = 200;
const LONG_WORD = new RegExp(`\\S{${LONGEST_WORD + 1},}`, 'g');

/** What a client is told about an error. Of an error that nobody expected it is told nothing but that it happened. */
export function problemOf(error: unknown, requestId: string): Problem {
  if (error instanceof DomainError)
    return problem(error.status, error.code, requestId, error.message, error instanceof InvalidInput ? error.faults : []);
  if (error instanceof HttpException)
    return problem(error.getStatus(), codeOf(error.getStatus()), requestId, error.message, validationFaults(error));
  const status = statusOf(error);
  return status >= 500 || !(error instanceof Error)
    ? problem(500, 'internal', requestId)
    : problem(status, codeOf(status), requestId, error.message);
}

export function problem(status: number, code: string, requestId: string, detail?: string, errors: readonly Fault[] = []): Problem {
  const title = code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ');
  return {
    type: `urn:throughline:problem:${code}`,
    title,
    status,
    ...(detail !== undefined && status !== 500 && { detail: withoutLongWords(detail) }),
    code,
    instance: `urn:uuid:${requestId}`,
    ...(errors.length > 0 && { errors }),
  };
}

/** Addresses that nobody made, and what else a client sends that long, are not said back whole. */
function withoutLongWords(text: string): string {
  return text.replace(LONG_WORD, (word) => `${word.slice(0, LONGEST_WORD)}…`);
}

export function codeOf(status: number): string {
  return CODES[status] ?? (status >= 500 ? 'internal' : 'bad_request');
}

/** Fastify's errors carry a status; anything else that was thrown has none. */
function statusOf(error: unknown): number {
  if (!(error instanceof Error) || !('statusCode' in error)) return 500;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 600 ? statusCode : 500;
}

/** Nest's validation pipe says its faults as a list of sentences. */
function validationFaults(error: HttpException): Fault[] {
  const response = error.getResponse();
  if (typeof response === 'string' || !('message' in response) || !Array.isArray(response.message)) return [];
  return response.message.filter((message): message is string => typeof message === 'string').map((message) => ({ path: '', message }));
}
