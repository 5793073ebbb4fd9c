import { Body, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { IsOptional, IsString, Length } from 'class-validator';
import { isConversationId } from '../../core/conversations/conversation-id.js';
import { parseDeliveryId } from '../../core/deliveries/delivery.js';
import { listDeliveries, listDeliveriesOf, readDeliveryView } from '../../core/deliveries/list-deliveries.js';
import { Operations } from '../../core/operations.js';
import { Database } from '../../database/database.js';
import { ApiOkResponse, ApiOperation, ApiPropertyOptional } from '../../http/documented.js';
import { NotFound } from '../../plugin/index.js';
import { By, type Caller } from '../access/caller.js';
import { AdminController } from '../http/admin-controller.js';
import { pageOf, sliceOf } from '../http/cursor.js';
import { Storable } from '../http/fields.js';
import { DeliveryIdPipe } from '../http/ids.js';
import { OrgQuery, type Page, PageOf } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { Write } from '../http/write.js';
import { DeliveryDto, DeliveryQuery } from './delivery.dto.js';
import { toDelivery } from './delivery.view.js';

export class SkipBody {
  @ApiPropertyOptional({ type: String, description: 'Why, for those who look at it later.' })
  @IsOptional()
  @IsString()
  @Length(1, 500)
  @Storable()
  reason?: string;
}

@AdminController('v1/deliveries', 'deliveries')
export class DeliveriesController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Operations) private readonly operations: Operations,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Deliveries, newest first' })
  @ApiOkResponse({ type: PageOf(DeliveryDto) })
  async list(@By() { org }: Caller, @Query() query: DeliveryQuery): Promise<Page<DeliveryDto>> {
    const { conversation } = query;
    if (conversation === undefined) {
      const slice = sliceOf(query, ['number', 'id']);
      return pageOf(await this.database.transaction((tx) => listDeliveries(tx, org, query, slice)), toDelivery);
    }
    const slice = sliceOf(query, ['number']);
    if (!isConversationId(conversation)) return { items: [], next_cursor: null };
    return pageOf(await this.database.transaction((tx) => listDeliveriesOf(tx, { org, conversation }, query, slice)), toDelivery);
  }

  @Get(':id')
  @ApiOperation({ summary: 'One delivery' })
  @ApiOkResponse({ type: DeliveryDto })
  @Refuses(404)
  async read(@By() { org }: Caller, @Param('id', DeliveryIdPipe) id: string, @Query() _query: OrgQuery): Promise<DeliveryDto> {
    const place = parseDeliveryId(id);
    const row = place && (await this.database.transaction((tx) => readDeliveryView(tx, org, place)));
    if (row === null) throw new NotFound(`There is no delivery ${id}.`);
    return toDelivery(row);
  }

  @Post(':id/retry')
  @Write({ action: 'delivery.retry', summary: 'Try a waiting delivery at once, with its count of failures at zero' })
  @ApiOkResponse({ type: DeliveryDto })
  @Refuses(404)
  async retry(@By() caller: Caller, @Param('id', DeliveryIdPipe) id: string, @Query() query: OrgQuery): Promise<DeliveryDto> {
    await this.operations.retry(caller.org, id, caller.actor);
    return this.read(caller, id, query);
  }

  @Post(':id/skip')
  @Write({ action: 'delivery.skip', summary: 'Complete a waiting delivery without a turn', kept: ['reason'] })
  @ApiOkResponse({ type: DeliveryDto })
  @Refuses(404)
  async skip(
    @By() caller: Caller,
    @Param('id', DeliveryIdPipe) id: string,
    @Body() { reason }: SkipBody,
    @Query() query: OrgQuery,
  ): Promise<DeliveryDto> {
    await this.operations.skip(caller.org, id, caller.actor, reason ?? null);
    return this.read(caller, id, query);
  }

  @Post(':id/abandon')
  @Write({ action: 'delivery.abandon', summary: 'End the turn that works on a delivery; its deliveries wait again, in their places' })
  @ApiOkResponse({ type: DeliveryDto })
  @Refuses(404)
  async abandon(@By() caller: Caller, @Param('id', DeliveryIdPipe) id: string, @Query() query: OrgQuery): Promise<DeliveryDto> {
    await this.operations.abandon(caller.org, id, caller.actor);
    return this.read(caller, id, query);
  }
}
