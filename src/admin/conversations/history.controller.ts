import { Get, Inject, Param, Query } from '@nestjs/common';
import { listTimeline } from '../../core/conversations/list-timeline.js';
import { listDeliveriesOf } from '../../core/deliveries/list-deliveries.js';
import { listTranscript, listTurns } from '../../core/turns/list-turns.js';
import { Database } from '../../database/database.js';
import type { Tx } from '../../database/tx.js';
import { ApiOkResponse, ApiOperation } from '../../http/documented.js';
import { By, type Caller } from '../access/caller.js';
import { DeliveryDto } from '../deliveries/delivery.dto.js';
import { toDelivery } from '../deliveries/delivery.view.js';
import { AdminController } from '../http/admin-controller.js';
import { pageOf, sliceOf } from '../http/cursor.js';
import { ConversationIdPipe } from '../http/ids.js';
import { type Page, PageOf, PageQuery } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { existing } from './existing.js';
import { TimelineEntryDto, TranscriptEntryDto, TurnDto } from './history.dto.js';
import { toTimelineEntry, toTranscriptEntry, toTurn } from './history.view.js';

@AdminController('v1/conversations', 'conversations')
export class HistoryController {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Get(':id/deliveries')
  @ApiOperation({ summary: 'Deliveries of a conversation, newest first' })
  @ApiOkResponse({ type: PageOf(DeliveryDto) })
  @Refuses(404)
  async deliveries(
    @By() { org }: Caller,
    @Param('id', ConversationIdPipe) id: string,
    @Query() query: PageQuery,
  ): Promise<Page<DeliveryDto>> {
    const slice = sliceOf(query, ['number']);
    return this.of(org, id, async (tx) => pageOf(await listDeliveriesOf(tx, { org, conversation: id }, {}, slice), toDelivery));
  }

  @Get(':id/timeline')
  @ApiOperation({
    summary: 'What was decided about every event that concerned a conversation, and what came of it: oldest first',
    description: 'Each entry says what, why, when and by whom.',
  })
  @ApiOkResponse({ type: PageOf(TimelineEntryDto) })
  @Refuses(404)
  async timeline(
    @By() { org }: Caller,
    @Param('id', ConversationIdPipe) id: string,
    @Query() query: PageQuery,
  ): Promise<Page<TimelineEntryDto>> {
    const slice = sliceOf(query, ['number', 'small', 'number', 'small']);
    return this.of(org, id, async (tx) => pageOf(await listTimeline(tx, id, slice), (row) => toTimelineEntry(id, row)));
  }

  @Get(':id/turns')
  @ApiOperation({ summary: 'Turns of a conversation, newest first' })
  @ApiOkResponse({ type: PageOf(TurnDto) })
  @Refuses(404)
  async turns(@By() { org }: Caller, @Param('id', ConversationIdPipe) id: string, @Query() query: PageQuery): Promise<Page<TurnDto>> {
    const slice = sliceOf(query, ['number']);
    return this.of(org, id, async (tx) => pageOf(await listTurns(tx, id, slice), toTurn));
  }

  @Get(':id/transcript')
  @ApiOperation({ summary: 'What the agent said and did in a conversation, oldest first' })
  @ApiOkResponse({ type: PageOf(TranscriptEntryDto) })
  @Refuses(404)
  async transcript(
    @By() { org }: Caller,
    @Param('id', ConversationIdPipe) id: string,
    @Query() query: PageQuery,
  ): Promise<Page<TranscriptEntryDto>> {
    const slice = sliceOf(query, ['number', 'small']);
    return this.of(org, id, async (tx) => pageOf(await listTranscript(tx, id, slice), (row) => toTranscriptEntry(id, row)));
  }

  private of<T>(org: string, id: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.transaction(async (tx) => {
      await existing(tx, org, id);
      return work(tx);
    });
  }
}
