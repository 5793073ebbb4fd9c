import { randomUUID } from 'node:crypto';
import type { WebhookSettings } from '../../core/webhooks/webhook-settings.js';
import { parseJson } from '../../http/parse-json.js';
import type { ArrivedRequest } from '../arrived-request.js';
import { signRequest } from '../signatures/sign-request.js';
import { schemeOf } from './webhook-scheme.js';

export interface Sample {
  /** Left out: one of ours. */
  readonly payload: unknown;
  /** What stands in the header with the kind of event. */
  readonly event: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** A request as the sender of a webhook would make it. Its delivery has an id that nobody else's has, where a header says it. */
export function sampleRequest(
  settings: WebhookSettings,
  secret: string,
  sample: Sample,
  at: { url: string; nowMs: number },
): ArrivedRequest {
  const id = `test-${randomUUID()}`;
  const { event_id_header: idHeader, event_key_header: keyHeader, format } = settings;
  const payload = sample.payload ?? (format === 'cloudevents' ? sampleCloudEvent(id) : { type: sample.event ?? 'test', id });
  const signed = signRequest(schemeOf(settings), { body: Buffer.from(JSON.stringify(payload)), secret, id, ...at });
  const headers = {
    ...(idHeader !== undefined && { [idHeader.toLowerCase()]: id }),
    ...(keyHeader !== undefined && sample.event !== null && { [keyHeader.toLowerCase()]: sample.event }),
    ...Object.fromEntries(Object.entries(sample.headers).map(([name, value]) => [name.toLowerCase(), value])),
    'content-type': contentTypeOf(format, payload),
    ...signed.headers,
  };
  return {
    ...{ rawHeaders: Object.entries(headers), contentType: 'json', body: signed.body, url: at.url, isLocal: false },
    readJson: () => parseJson(signed.body),
  };
}

function sampleCloudEvent(id: string): object {
  return { specversion: '1.0', id, source: '/throughline/test', type: 'throughline.test', data: {} };
}

function contentTypeOf(format: WebhookSettings['format'], payload: unknown): string {
  if (format !== 'cloudevents') return 'application/json';
  return Array.isArray(payload) ? 'application/cloudevents-batch+json' : 'application/cloudevents+json';
}
