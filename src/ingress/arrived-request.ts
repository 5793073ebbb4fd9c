import type { FastifyRequest } from 'fastify';
import { UnsupportedMediaType } from '../http/http-errors.js';
import { isLocalRequest } from '../http/local-request.js';
import { mediaTypeOf } from '../http/media-type.js';
import { type JsonReading, parseJson } from '../http/parse-json.js';
import { publicUrlOf } from '../http/public-url.js';
import { readBody } from '../http/read-body.js';
import type { WebhookTransport } from '../plugin/index.js';
import { pairsOf, type RawHeaders, valuesOf } from './signatures/headers.js';

/** A request whose bytes are all here and of which nothing is believed yet. */
export interface ArrivedRequest {
  readonly rawHeaders: RawHeaders;
  readonly contentType: 'json' | 'form';
  readonly body: Buffer;
  readonly url: string;
  /** Sent from this machine, and not handed on by a proxy on it. */
  readonly isLocal: boolean;
  /** The body as JSON, read at most once. */
  readJson(): JsonReading;
}

/** What bodies a source takes. */
interface Receiver {
  readonly transport: Pick<WebhookTransport, 'contentTypes'>;
  /** In bytes. */
  readonly bodyLimit: number;
}

/** Judges the type before the body, and the body's length while it comes. */
export async function receive(request: FastifyRequest, source: Receiver): Promise<ArrivedRequest> {
  const rawHeaders = pairsOf(request.raw.rawHeaders);
  const contentType = acceptedType(rawHeaders, source);
  const body = await readBody(request.raw, source.bodyLimit);
  let reading: JsonReading | null = null;
  return {
    rawHeaders,
    contentType,
    body,
    // Few sources ask.
    get url() {
      return publicUrlOf(request);
    },
    get isLocal() {
      return isLocalRequest(request);
    },
    readJson: () => {
      reading ??= parseJson(body);
      return reading;
    },
  };
}

function acceptedType(headers: RawHeaders, { transport }: Receiver): 'json' | 'form' {
  const accepted = transport.contentTypes ?? ['json'];
  const types = valuesOf(headers, 'content-type');
  const type = types.length === 1 ? mediaTypeOf(types[0]) : 'other';
  const encodings = valuesOf(headers, 'content-encoding').filter((encoding) => encoding.toLowerCase() !== 'identity');
  if (encodings.length > 0) throw new UnsupportedMediaType('Events are taken without a content-encoding.');
  if (type === 'other' || !accepted.includes(type)) {
    throw new UnsupportedMediaType(
      `This source takes ${accepted.map((name) => (name === 'json' ? 'application/json' : 'application/x-www-form-urlencoded')).join(' or ')}.`,
    );
  }
  return type;
}
