import { Get, Inject, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { readMarks } from '../../core/conversations/conversation-marks.js';
import { Database } from '../../database/database.js';
import { ApiOkResponse, ApiOperation, ApiProduces } from '../../http/documented.js';
import { By, type Caller } from '../access/caller.js';
import { AdminController } from '../http/admin-controller.js';
import { ConversationIdPipe } from '../http/ids.js';
import { OrgQuery } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { toConversation } from './conversation.view.js';
import { ConversationStreams } from './conversation-streams.js';
import { existing } from './existing.js';

const STREAM = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };

@AdminController('v1/conversations', 'conversations')
export class ConversationEventsController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ConversationStreams) private readonly streams: ConversationStreams,
  ) {}

  @Get(':id/events')
  @ApiOperation({
    summary: 'A conversation as it changes, as server-sent events',
    description:
      'An event `activity` at once and after everything that happens, with the conversation as data; a comment every 15 seconds.',
  })
  @ApiProduces('text/event-stream')
  @ApiOkResponse({ content: { 'text/event-stream': { schema: { type: 'string' } } }, description: 'The stream.' })
  @Refuses(404)
  async events(
    @By() { org }: Caller,
    @Param('id', ConversationIdPipe) id: string,
    @Query() _query: OrgQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const snapshot = () =>
      this.database.transaction(async (tx) => {
        // Read first: what comes between is then found by the next look, rather than by none.
        const mark = (await readMarks(tx, [id])).get(id);
        return { mark, conversation: toConversation(await existing(tx, org, id)) };
      });
    await snapshot();
    this.streams.assertRoom();
    reply.hijack();
    if (reply.raw.closed || reply.raw.destroyed) return;
    reply.raw.writeHead(200, STREAM);
    if (reply.request.method === 'HEAD') return void reply.raw.end();
    this.streams.open(id, reply.raw, snapshot);
  }
}
