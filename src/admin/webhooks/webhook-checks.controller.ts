import { Body, Get, Inject, Param, Post, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Admissions } from '../../core/admission/admissions.js';
import type { AdmissibleEvent } from '../../core/admission/event.js';
import type { Webhook } from '../../core/webhooks/webhooks.js';
import { Database } from '../../database/database.js';
import { ApiOkResponse, ApiOperation } from '../../http/documented.js';
import { authenticate } from '../../ingress/authenticate.js';
import { DatabaseClock, type EventSource } from '../../ingress/event-source.js';
import { parseEvent } from '../../ingress/parse-event.js';
import { readEvent, verifiedRequest } from '../../ingress/read-event.js';
import { incomingEvent } from '../../ingress/sources/incoming-event.js';
import { type Sample, sampleRequest } from '../../ingress/webhooks/sample-request.js';
import { WebhookRegistry } from '../../ingress/webhooks/webhook-registry.js';
import { schemeOf } from '../../ingress/webhooks/webhook-scheme.js';
import { Conflict, DomainError } from '../../plugin/index.js';
import { Needs } from '../access/bearer.guard.js';
import { By, type Caller } from '../access/caller.js';
import { badParameter } from '../errors.js';
import { AdminController } from '../http/admin-controller.js';
import { WebhookIdPipe } from '../http/ids.js';
import { OrgQuery } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { Write } from '../http/write.js';
import { dryRunOf } from '../receipts/dry-run.js';
import { existingWebhook } from './existing-webhook.js';
import { webhookUrl } from './webhook.view.js';
import { SignatureDebugDto, WebhookTestBody, WebhookTestDto } from './webhook-check.dto.js';
import { toExpected, toRefused } from './webhook-check.view.js';

/** Whether a webhook works, without its sender. */
@AdminController('v1/webhooks/:id', 'webhooks')
@Refuses(404)
export class WebhookChecksController {
  constructor(
    @Inject(Database) readonly database: Database,
    @Inject(Admissions) readonly admissions: Admissions,
    @Inject(WebhookRegistry) private readonly registry: WebhookRegistry,
    @Inject(DatabaseClock) private readonly clock: DatabaseClock,
  ) {}

  @Post('test')
  @Write({
    action: 'webhook.test',
    summary: 'Sign a sample as its sender would, and take it as the endpoint would, up to the point where something is stored',
  })
  @ApiOkResponse({ type: WebhookTestDto })
  async test(
    @By() { org }: Caller,
    @Param('id', WebhookIdPipe) id: string,
    @Body() body: WebhookTestBody,
    @Query() _query: OrgQuery,
    @Req() request: FastifyRequest,
  ): Promise<WebhookTestDto> {
    const webhook = await this.database.transaction((tx) => existingWebhook(tx, org, id));
    await this.registry.refresh();
    const source = this.registry.taking(id);
    if (source === null) throw new Conflict(notTaking(webhook));
    if (schemeOf(webhook.settings).algorithm === 'ed25519')
      throw new Conflict('only its sender can sign for it: the server has the public key alone; use `POST /v1/dry-run`');
    const sample = { payload: body.payload ?? null, event: body.event ?? null, headers: checkedHeaders(body.headers ?? {}) };
    try {
      return await this.taken(await this.eventsOf(webhook, source, sample, webhookUrl(request, webhook)));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { accepted: false, code: error.code, detail: error.message, delivery_id: null, events: [] };
    }
  }

  @Get('signature')
  @Needs('admin')
  @ApiOperation({
    summary: 'How requests have to be signed, and how those were that were refused for it: names, lengths and formats',
    description: 'Needs the role admin. Refusals are remembered in memory, ten of each webhook, by the server process that refused.',
  })
  @ApiOkResponse({ type: SignatureDebugDto })
  async signature(@By() { org }: Caller, @Param('id', WebhookIdPipe) id: string, @Query() _query: OrgQuery): Promise<SignatureDebugDto> {
    const { settings } = await this.database.transaction((tx) => existingWebhook(tx, org, id));
    return { expected: toExpected(schemeOf(settings)), refused: this.registry.refused(id).map(toRefused) };
  }

  /** What the endpoint makes of it, step by step. */
  private async eventsOf(webhook: Webhook, source: EventSource, sample: Sample, url: string): Promise<AdmissibleEvent[]> {
    const nowMs = Date.now() + this.clock.offsetMs();
    const arrived = sampleRequest(webhook.settings, source.connection.secrets[0] ?? '', sample, { url, nowMs });
    const secretIndex = await authenticate(source, arrived, nowMs);
    const read = readEvent(source.transport, verifiedRequest(arrived), source.connection);
    if ('handshake' in read) return [];
    if ('events' in read) return read.events.map((event) => ({ ...incomingEvent(source, event), secretIndex }));
    const { connection, provider } = source;
    const origin = { org: connection.org, source: connection.name, provider };
    return [{ ...origin, ...read.event, body: arrived.body, secretIndex, parsed: parseEvent(source, read.event) }];
  }

  private async taken(events: readonly AdmissibleEvent[]): Promise<WebhookTestDto> {
    const planned = await Promise.all(events.map((event) => dryRunOf(event, null, this)));
    return { accepted: true, code: null, detail: null, delivery_id: events[0]?.deliveryId ?? null, events: planned };
  }
}

function notTaking({ isEnabled, source }: Webhook): string {
  if (!isEnabled) return 'this webhook is disabled; enable it first';
  return `nothing is taken at \`${source}\` for this webhook; the log of the server says why`;
}

function checkedHeaders(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name))
      throw badParameter('headers', `has \`${name}\`, which is not the name of a header`);
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]{0,4096}$/.test(value))
      throw badParameter(`headers.${name}`, 'must be a text');
    return [name, value] as const;
  });
  return Object.fromEntries(entries);
}
