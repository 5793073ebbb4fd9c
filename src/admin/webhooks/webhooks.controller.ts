import { Body, Delete, Get, Inject, Param, Patch, Post, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { parseDuration } from '../../core/duration.js';
import { type Told, WebhookDesk } from '../../core/webhooks/webhook-desk.js';
import { listWebhooks, type Webhook } from '../../core/webhooks/webhooks.js';
import { Database } from '../../database/database.js';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation } from '../../http/documented.js';
import { WebhookRegistry } from '../../ingress/webhooks/webhook-registry.js';
import { By, type Caller } from '../access/caller.js';
import { badParameter } from '../errors.js';
import { AdminController } from '../http/admin-controller.js';
import { pageOf, sliceOf } from '../http/cursor.js';
import { WebhookIdPipe } from '../http/ids.js';
import { OrgQuery, type Page, PageOf } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { Write } from '../http/write.js';
import { existingWebhook } from './existing-webhook.js';
import { PresetDto, RotateSecretBody, ToldWebhookDto, WebhookBody, WebhookChangeBody, WebhookDto, WebhookQuery } from './webhook.dto.js';
import { presetList, toTold, toWebhook } from './webhook.view.js';

const OVERLAP = '24h';
const LONGEST_OVERLAP_MS = 30 * 86_400_000;

@AdminController('v1/webhooks', 'webhooks')
export class WebhooksController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(WebhookDesk) private readonly desk: WebhookDesk,
    @Inject(WebhookRegistry) private readonly registry: WebhookRegistry,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Webhooks that were made here, newest first; never their secrets' })
  @ApiOkResponse({ type: PageOf(WebhookDto) })
  async list(@By() { org }: Caller, @Query() query: WebhookQuery, @Req() request: FastifyRequest): Promise<Page<WebhookDto>> {
    const slice = sliceOf(query, ['number', 'id']);
    const found = await this.database.transaction((tx) => listWebhooks(tx, org, { source: query.source }, slice));
    return pageOf(found, (webhook) => this.shown(webhook, request));
  }

  @Get('presets')
  @ApiOperation({ summary: 'Signature schemes that have a name' })
  @ApiOkResponse({ type: [PresetDto] })
  presets(@Query() _query: OrgQuery): PresetDto[] {
    return presetList();
  }

  @Post()
  @Write({
    action: 'webhook.create',
    summary: 'Make a source of events; the answer tells its secret, this once',
    kept: ['name', 'source', 'enabled'],
    once: ['webhook_secret'],
    status: 201,
  })
  @ApiCreatedResponse({ type: ToldWebhookDto })
  async create(
    @By() { org }: Caller,
    @Body() { name, source, webhook_secret, enabled, ...settings }: WebhookBody,
    @Query() _query: OrgQuery,
    @Req() request: FastifyRequest,
  ): Promise<ToldWebhookDto> {
    const made = { name, source, isEnabled: enabled ?? true, settings, secret: webhook_secret ?? null };
    return this.told(await this.desk.create(org, made), request);
  }

  @Get(':id')
  @ApiOperation({ summary: 'One webhook' })
  @ApiOkResponse({ type: WebhookDto })
  @Refuses(404)
  async read(
    @By() { org }: Caller,
    @Param('id', WebhookIdPipe) id: string,
    @Query() _query: OrgQuery,
    @Req() request: FastifyRequest,
  ): Promise<WebhookDto> {
    const webhook = await this.database.transaction((tx) => existingWebhook(tx, org, id));
    return this.shown(webhook, request);
  }

  @Patch(':id')
  @Write({
    action: 'webhook.update',
    summary: 'Change some of its settings; one that is null has its default again',
    kept: ['name', 'enabled'],
  })
  @ApiOkResponse({ type: WebhookDto })
  @Refuses(404)
  async change(
    @By() { org }: Caller,
    @Param('id', WebhookIdPipe) id: string,
    @Body() { name, enabled, ...settings }: WebhookChangeBody,
    @Query() _query: OrgQuery,
    @Req() request: FastifyRequest,
  ): Promise<WebhookDto> {
    const webhook = await this.desk.amend(org, id, { name: name ?? null, isEnabled: enabled ?? null, settings: { ...settings } });
    await this.registry.refresh();
    return this.shown(webhook, request);
  }

  @Delete(':id')
  @Write({ action: 'webhook.delete', summary: 'Delete it; what it has accepted goes on, and its receipts stay', status: 204 })
  @ApiNoContentResponse({ description: 'It is gone.' })
  @Refuses(404)
  async remove(@By() { org }: Caller, @Param('id', WebhookIdPipe) id: string, @Query() _query: OrgQuery): Promise<void> {
    await this.desk.remove(org, id);
    await this.registry.refresh();
  }

  @Post(':id/rotate-secret')
  @Write({
    action: 'webhook.rotate-secret',
    summary: 'Give it another secret, which the answer tells this once; the one before is good for a while',
    kept: ['overlap'],
    once: ['webhook_secret'],
  })
  @ApiOkResponse({ type: ToldWebhookDto })
  @Refuses(404)
  async rotate(
    @By() { org }: Caller,
    @Param('id', WebhookIdPipe) id: string,
    @Body() { webhook_secret, overlap = OVERLAP }: RotateSecretBody,
    @Query() _query: OrgQuery,
    @Req() request: FastifyRequest,
  ): Promise<ToldWebhookDto> {
    const overlapMs = parseDuration(overlap);
    if (overlapMs === null || overlapMs > LONGEST_OVERLAP_MS) throw badParameter('overlap', 'must be a time such as `0s`, `12h` or `30d`');
    return this.told(await this.desk.rotate(org, id, webhook_secret ?? null, overlapMs), request);
  }

  private shown(webhook: Webhook, request: FastifyRequest): WebhookDto {
    return toWebhook({ webhook, untils: this.registry.untils(webhook.id) }, request);
  }

  /** This process takes its events before its maker is answered. */
  private async told(told: Told, request: FastifyRequest): Promise<ToldWebhookDto> {
    await this.registry.refresh();
    return toTold(told, this.registry.untils(told.webhook.id), request);
  }
}
