import { createHmac } from 'node:crypto';
import { Global, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AdmissionAnswer, IncomingEvent } from '../../src/core/admission/event.js';
import { createHttpApp } from '../../src/http/create-http-app.js';
import type { HttpOptions } from '../../src/http/http-options.js';
import { DatabaseClock, EventAdmission, type EventSource, EventSources } from '../../src/ingress/event-source.js';
import { IngressModule } from '../../src/ingress/ingress.module.js';
import type { VerifiedRequest, WebhookTransport } from '../../src/plugin/index.js';
import { presets } from '../../src/plugin/signatures/presets.js';

export const SECRET = "It's a Secret to Everybody";

/** The ledger as the endpoint sees it: it remembers ids, and can be told to fail. */
export class MemoryAdmission extends EventAdmission {
  readonly events: IncomingEvent[] = [];
  failure: Error | null = null;

  async admit(event: IncomingEvent): Promise<AdmissionAnswer> {
    if (this.failure) throw this.failure;
    const duplicate = this.events.some((earlier) => earlier.deliveryId === event.deliveryId && earlier.source === event.source);
    if (!duplicate) this.events.push(event);
    return {
      received: true,
      duplicate,
      receipt: `receipt-${event.deliveryId}`,
      disposition: 'unmatched',
      reason: null,
      matched: 0,
      deliveries: [],
      runs_created: [],
      conversations_continued: [],
    };
  }

  async admitTogether(events: readonly IncomingEvent[]): Promise<AdmissionAnswer[]> {
    return Promise.all(events.map((event) => this.admit(event)));
  }
}

const firstOf = (value: string | readonly string[] | undefined): string | null => (typeof value === 'string' ? value : null);

/** GitHub's form of a webhook, as a plugin would describe it. */
export const githubTransport: WebhookTransport = {
  kind: 'webhook',
  contentTypes: ['json', 'form'],
  signature: () => presets.github,
  deliveryId: ({ headers }: VerifiedRequest) => firstOf(headers['x-github-delivery']),
  eventKey: ({ headers }: VerifiedRequest) => firstOf(headers['x-github-event']) ?? 'unknown',
  event: ({ contentType, payload }: VerifiedRequest) =>
    contentType === 'form' ? JSON.parse((payload as { payload: string }).payload) : payload,
};

export const linearTransport: WebhookTransport = {
  kind: 'webhook',
  signature: () => presets.linear,
  deliveryId: ({ headers }: VerifiedRequest) => firstOf(headers['linear-delivery']),
  eventKey: () => 'Issue.update',
  uniqueContent: ({ body }: VerifiedRequest) => body,
};

export function source(
  name: string,
  transport: WebhookTransport,
  changes: Partial<EventSource> & { secrets?: string[] } = {},
): EventSource {
  const { secrets = [SECRET], ...rest } = changes;
  return {
    connection: { name, org: 'default', source: 'public', secrets, options: {} },
    provider: 'sample',
    transport,
    subjects: { parse: () => ({ kind: 'recorded', reason: 'sample', subject: null }) },
    bodyLimit: 65_536,
    acceptLateMs: 0,
    rate: null,
    insecure: false,
    ...rest,
  };
}

export interface Endpoint {
  readonly app: NestFastifyApplication;
  readonly admission: MemoryAdmission;
  readonly clock: { offset: number };
}

export async function startEndpoint(sources: readonly EventSource[], options: Partial<HttpOptions> = {}): Promise<Endpoint> {
  const admission = new MemoryAdmission();
  const clock = { offset: 0 };
  const find = (org: string, name: string) => sources.find(({ connection }) => connection.org === org && connection.name === name) ?? null;
  const providers = [
    { provide: EventSources, useValue: { find } },
    { provide: EventAdmission, useValue: admission },
    { provide: DatabaseClock, useValue: { offsetMs: () => clock.offset } },
  ];
  @Global()
  @Module({ providers, exports: providers })
  class Outside {}
  const app = await createHttpApp(IngressModule.using([Outside]), options, 'quiet');
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  return { app, admission, clock };
}

export function sign(body: string | Buffer, secret = SECRET): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

export function githubHeaders(body: string | Buffer, delivery = 'd-1'): Record<string, string> {
  return {
    'content-type': 'application/json',
    'x-github-event': 'issues',
    'x-github-delivery': delivery,
    'x-hub-signature-256': `sha256=${sign(body)}`,
  };
}
