import { fields, type Headers, InvalidInput, type Reply, type VerifiedRequest } from 'throughline/plugin';

/** An event of CloudEvents 1.0 in its structured form, whichever form it came in. */
export type CloudEvent = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly source: string;
  readonly type: string;
};

const REQUIRED = ['id', 'source', 'specversion', 'type'] as const;
const PREFIX = 'ce-';
const ESCAPED = /(?:%[0-9a-f]{2})+/gi;

/**
 * The events of a request (https://github.com/cloudevents/spec, HTTP protocol binding 1.0.2). The mode is told by the content type; batches
 * are asked for first, since the type of single events is how theirs begins. Throws `InvalidInput` for what is no CloudEvent.
 */
export function cloudEventsOf(request: VerifiedRequest): CloudEvent[] {
  const type = String(request.headers['content-type'] ?? '').toLowerCase();
  if (!type.startsWith('application/cloudevents')) return [checked(binaryEvent(request), '')];
  if (!type.startsWith('application/cloudevents-batch')) return [checked(request.payload, '')];
  if (!Array.isArray(request.payload)) throw new InvalidInput('A batch of CloudEvents must be a list.');
  return request.payload.map((event, index) => checked(event, ` at place ${index} of the batch`));
}

/** Leave to send (HTTP webhooks for event delivery, section 4). How much may come is limited by answers 429, so any rate may be meant. */
export function permission(headers: Headers): Reply | null {
  const origin = headers['webhook-request-origin'];
  if (typeof origin !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(origin)) return null;
  return { status: 200, body: '', headers: { allow: 'POST', 'webhook-allowed-origin': origin, 'webhook-allowed-rate': '*' } };
}

/** Attributes are in headers, the body is the data. */
function binaryEvent({ headers, payload }: VerifiedRequest): Readonly<Record<string, unknown>> {
  const names = Object.keys(headers).filter((name) => name.startsWith(PREFIX));
  if (names.includes('ce-datacontenttype'))
    throw new InvalidInput('The CloudEvent has a header ce-datacontenttype; its data are of the type that content-type says.');
  const attributes = names.map((name) => [name.slice(PREFIX.length), attributeOf(name, headers[name])]);
  return Object.fromEntries([...attributes, ['datacontenttype', headers['content-type']], ['data', payload]]);
}

function attributeOf(name: string, value: string | readonly string[] | undefined): string {
  if (typeof value !== 'string') throw new InvalidInput(`The CloudEvent has more than one header ${name}.`);
  const unquoted = /^".*"$/.test(value) ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
  try {
    return unquoted.replace(ESCAPED, decodeURIComponent);
  } catch (cause) {
    throw new InvalidInput(`The header ${name} of the CloudEvent holds percent-encoded bytes that are not UTF-8.`, [], { cause });
  }
}

function checked(value: unknown, where: string): CloudEvent {
  const event = fields(value);
  if (event === undefined) throw new InvalidInput(`The CloudEvent${where} is no object.`);
  const lacking = REQUIRED.find((name) => typeof event[name] !== 'string' || event[name] === '');
  if (lacking !== undefined) throw new InvalidInput(`The CloudEvent${where} has no ${lacking}.`);
  if (event.specversion !== '1.0') throw new InvalidInput(`The CloudEvent${where} is of another version than 1.0.`);
  if (event.subject !== undefined && (typeof event.subject !== 'string' || event.subject === ''))
    throw new InvalidInput(`The CloudEvent${where} has a subject that is no text.`);
  if (/\s/.test(String(event.source))) throw new InvalidInput(`The CloudEvent${where} has a source that is no URI reference.`);
  return value as CloudEvent;
}
