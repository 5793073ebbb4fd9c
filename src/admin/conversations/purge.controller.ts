import { Delete, Inject, Param, Query } from '@nestjs/common';
import { Equals } from 'class-validator';
import { ConversationPurges } from '../../core/purges/conversation-purges.js';
import { Database } from '../../database/database.js';
import { ApiOkResponse, ApiPropertyOptional } from '../../http/documented.js';
import { By, type Caller } from '../access/caller.js';
import { AdminController } from '../http/admin-controller.js';
import { ConversationIdPipe } from '../http/ids.js';
import { OrgQuery } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { Write } from '../http/write.js';
import { ConversationDto } from './conversation.dto.js';
import { toConversation } from './conversation.view.js';
import { existing } from './existing.js';

export class PurgeQuery extends OrgQuery {
  @ApiPropertyOptional({ type: String, enum: ['true'], required: true, description: 'To be said: what is purged does not come back.' })
  @Equals('true', {
    message:
      'should be true: this takes texts, transcript, session and folder of the conversation for good, and keeps ids, hashes, decisions and the audit log',
  })
  purge!: string;
}

@AdminController('v1/conversations', 'conversations')
@Refuses(404)
export class PurgeController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ConversationPurges) private readonly purges: ConversationPurges,
  ) {}

  @Delete(':id')
  @Write({ action: 'conversation.purge', summary: 'Take the words of a conversation for good', role: 'admin' })
  @ApiOkResponse({ type: ConversationDto })
  async purge(
    @By() { org, actor }: Caller,
    @Param('id', ConversationIdPipe) id: string,
    @Query() _query: PurgeQuery,
  ): Promise<ConversationDto> {
    await this.purges.purge({ org, conversation: id, by: actor });
    return toConversation(await this.database.transaction((tx) => existing(tx, org, id)));
  }
}
