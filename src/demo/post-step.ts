import { createHash } from 'node:crypto';
import { signedRequest } from '../cli/signing/signed-request.js';
import type { AdmissionAnswer } from '../core/admission/event.js';
import { type RecordedBody, recordedBody } from './recorded-body.js';
import type { Source, Step } from './script.js';

export type Secrets = Readonly<Record<Source, string>>;

/** What the server said to a step, as far as the demo looks at it. */
export interface Answer {
  readonly status: number;
  /** The event's kind, as routes name it. */
  readonly eventKey: string;
  readonly decided: Pick<AdmissionAnswer, 'duplicate' | 'receipt' | 'disposition' | 'reason'> | null;
  readonly delivery: { readonly conversation: string; readonly sequence: number } | null;
  /** Code of a refusal. */
  readonly code: string | null;
  /** Answer to a handshake. */
  readonly text: string | null;
}

export interface Destination {
  readonly url: string;
  readonly secrets: Secrets;
  /** Folder of the recorded bodies. */
  readonly fixtures: string;
}

const TEN_MINUTES_MS = 600_000;
const TIMEOUT_MS = 30_000;

/** Sends the step as its provider would: recorded body, signed now, to the connection's address. */
export async function postStep(step: Step, { url, secrets, fixtures }: Destination): Promise<Answer> {
  const recorded = recordedBody(step, fixtures);
  const { headers, body } = requestOf(step, recorded.bytes, secrets);
  const response = await fetch(`${url}/v1/events/default/${step.source}`, {
    method: 'POST',
    headers,
    body: new Uint8Array(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { ...answerIn(await response.text(), response), status: response.status, eventKey: eventKeyOf(step, recorded) };
}

export function requestOf({ id, source, event, forgery, deliveredAs }: Step, body: Buffer, secrets: Secrets) {
  const secret = forgery === 'another secret' ? 'a secret that somebody guessed' : secrets[source];
  const now = forgery === 'an old timestamp' ? Date.now() - TEN_MINUTES_MS : Date.now();
  // Slack's is in the body.
  const deliveryId = source === 'slack' ? undefined : deliveryGuid(deliveredAs ?? id);
  const request = signedRequest(source, { body, secret, event, deliveryId, now });
  if (forgery !== 'no signature') return request;
  const unsigned = Object.entries(request.headers).filter(([name]) => !name.includes('signature'));
  return { ...request, headers: Object.fromEntries(unsigned) };
}

/** The same for the same step, however often it is sent: that is what makes it safe to send one again. */
function deliveryGuid(id: string): string {
  const hex = createHash('sha256').update(id).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}

function eventKeyOf({ source, event }: Step, { fields }: RecordedBody): string {
  const inner = fields['event'] as { type?: string } | undefined;
  const names = { github: [event, fields['action']], linear: [fields['type'], fields['action']], slack: [inner?.type ?? fields['type']] };
  return names[source].filter((name) => typeof name === 'string').join('.');
}

function answerIn(text: string, { ok, headers }: Response): Omit<Answer, 'status' | 'eventKey'> {
  const nothing = { decided: null, delivery: null, code: null, text: null };
  if (!headers.get('content-type')?.includes('json')) return { ...nothing, text };
  if (!ok) return { ...nothing, code: (JSON.parse(text) as { code: string }).code };
  const { duplicate, receipt, disposition, reason, deliveries } = JSON.parse(text) as AdmissionAnswer;
  const [first] = deliveries;
  const delivery = first ? { conversation: first.conversation, sequence: first.sequence } : null;
  return { ...nothing, decided: { duplicate, receipt, disposition, reason }, delivery };
}
