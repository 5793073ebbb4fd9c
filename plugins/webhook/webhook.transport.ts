import { createHash } from 'node:crypto';
import type { Connection, Headers, ProviderEvent, Reply, SignatureScheme, VerifiedRequest, WebhookTransport } from 'throughline/plugin';
import { type CloudEvent, cloudEventsOf, permission } from './cloud-events.js';
import { type Mapping, mappingOf } from './mapping.js';
import type { WebhookConnection } from './webhook.options.js';

type Source = Connection<WebhookConnection>;

/** As long as the host takes ids. */
const LONGEST_ID = 255;

/** Requests of any sender, read as the connection's options say. */
export class MappedWebhook implements WebhookTransport<WebhookConnection> {
  readonly kind = 'webhook';
  readonly contentTypes = ['json', 'form'] as const;

  signature({ options }: Source): SignatureScheme {
    return mappingOf(options).scheme;
  }

  preflight(headers: Headers, { options }: Source): Reply | null {
    return mappingOf(options).isCloudEvents ? permission(headers) : null;
  }

  events(request: VerifiedRequest, { options }: Source): ProviderEvent[] | null {
    const mapping = mappingOf(options);
    return mapping.isCloudEvents ? cloudEventsOf(request).map((event) => providerEvent(event, request, mapping)) : null;
  }

  deliveryId(request: VerifiedRequest, { options }: Source): string | null {
    const id = mappingOf(options).deliveryId(request);
    return id === undefined ? digest(request.body) : id;
  }

  eventKey(request: VerifiedRequest, { options }: Source): string {
    return mappingOf(options).eventKey(request);
  }

  uniqueContent({ body }: VerifiedRequest, { options }: Source): Buffer | null {
    return options.uniqueBodies === true ? body : null;
  }
}

function providerEvent(event: CloudEvent, { headers, body, payload }: VerifiedRequest, mapping: Mapping): ProviderEvent {
  const located = { headers, payload: event };
  const id = mapping.deliveryId(located);
  return {
    deliveryId: id === undefined ? identityOf(event) : (id ?? ''),
    eventKey: mapping.eventKey(located),
    payload: event,
    // A structured event is the body; the others are only in it.
    ...(payload === event && { body }),
  };
}

/** Source and id together are what makes a CloudEvent one. */
function identityOf({ source, id }: CloudEvent): string {
  const both = `${source} ${id}`;
  return both.length <= LONGEST_ID ? both : digest(both);
}

function digest(content: string | Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
