import { Get, Inject, Param, Query } from '@nestjs/common';
import { listConversations } from '../../core/conversations/list-conversations.js';
import { Database } from '../../database/database.js';
import { ApiOkResponse, ApiOperation } from '../../http/documented.js';
import { By, type Caller } from '../access/caller.js';
import { AdminController } from '../http/admin-controller.js';
import { pageOf, sliceOf } from '../http/cursor.js';
import { ConversationIdPipe } from '../http/ids.js';
import { OrgQuery, type Page, PageOf } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { ConversationDto, ConversationQuery } from './conversation.dto.js';
import { toConversation } from './conversation.view.js';
import { existing } from './existing.js';

@AdminController('v1/conversations', 'conversations')
export class ConversationsController {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Get()
  @ApiOperation({ summary: 'Conversations, newest first' })
  @ApiOkResponse({ type: PageOf(ConversationDto) })
  async list(@By() { org }: Caller, @Query() query: ConversationQuery): Promise<Page<ConversationDto>> {
    const slice = sliceOf(query, ['number', 'id']);
    return pageOf(await this.database.transaction((tx) => listConversations(tx, org, query, slice)), toConversation);
  }

  @Get(':id')
  @ApiOperation({ summary: 'One conversation' })
  @ApiOkResponse({ type: ConversationDto })
  @Refuses(404)
  async read(@By() { org }: Caller, @Param('id', ConversationIdPipe) id: string, @Query() _query: OrgQuery): Promise<ConversationDto> {
    return toConversation(await this.database.transaction((tx) => existing(tx, org, id)));
  }
}
