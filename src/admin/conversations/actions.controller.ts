import { Body, Inject, Param, Post, Query, Req } from '@nestjs/common';
import { IsBoolean, IsOptional, IsString, Length, Matches } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { Admissions } from '../../core/admission/admissions.js';
import { Operations } from '../../core/operations.js';
import { Database } from '../../database/database.js';
import { ApiAcceptedResponse, ApiOkResponse, ApiPropertyOptional } from '../../http/documented.js';
import { By, type Caller } from '../access/caller.js';
import { ConversationTerminal } from '../errors.js';
import { AdminController } from '../http/admin-controller.js';
import { Storable, Text } from '../http/fields.js';
import { ConversationIdPipe } from '../http/ids.js';
import { OrgQuery } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { Write } from '../http/write.js';
import { AnswerDto } from '../receipts/answer.dto.js';
import { ConversationDto } from './conversation.dto.js';
import { toConversation } from './conversation.view.js';
import { existing } from './existing.js';

const LONGEST_MESSAGE = 100_000;
const LONGEST_REASON = 200;

export class MessageBody {
  @Text('What to say to the agent.')
  @IsString()
  @Length(1, LONGEST_MESSAGE)
  @Matches(/\S/, { message: 'should not be blank' })
  text!: string;

  @ApiPropertyOptional({ type: Boolean, default: true, description: 'False: it waits for the next message that wakes the agent.' })
  @IsOptional()
  @IsBoolean()
  wake: boolean = true;
}

export class TerminateBody {
  @ApiPropertyOptional({ type: String, default: 'operator', description: 'Why it ends, in a word or a line.' })
  @IsOptional()
  @IsString()
  @Length(1, LONGEST_REASON)
  @Storable()
  reason: string = 'operator';
}

@AdminController('v1/conversations/:id', 'conversations')
@Refuses(404)
export class ActionsController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Admissions) private readonly admissions: Admissions,
    @Inject(Operations) private readonly operations: Operations,
  ) {}

  @Post('messages')
  @Write({ action: 'conversation.message', summary: 'Say something to the agent', kept: ['wake'], status: 202 })
  @ApiAcceptedResponse({ type: AnswerDto })
  async message(
    @By() { org, actor }: Caller,
    @Param('id', ConversationIdPipe) id: string,
    @Body() body: MessageBody,
    @Query() _query: OrgQuery,
    @Req() request: FastifyRequest,
  ): Promise<AnswerDto> {
    const key = request.headers['idempotency-key'];
    const message = { org, conversation: id, text: body.text, wake: body.wake, by: actor, key: typeof key === 'string' ? key : null };
    const answer = await this.admissions.send(message);
    if (answer.disposition === 'ignored' && answer.reason === 'terminal') throw new ConversationTerminal(id);
    return answer;
  }

  @Post('terminate')
  @Write({ action: 'conversation.terminate', summary: 'End a conversation, as its provider would', kept: ['reason'] })
  @ApiOkResponse({ type: ConversationDto })
  async terminate(
    @By() { org, actor }: Caller,
    @Param('id', ConversationIdPipe) id: string,
    @Body() { reason }: TerminateBody,
    @Query() _query: OrgQuery,
  ): Promise<ConversationDto> {
    await this.operations.terminate(org, id, reason, actor);
    return this.read(org, id);
  }

  @Post('reopen')
  @Write({ action: 'conversation.reopen', summary: 'Open a conversation that ended' })
  @ApiOkResponse({ type: ConversationDto })
  async reopen(
    @By() { org, actor }: Caller,
    @Param('id', ConversationIdPipe) id: string,
    @Query() _query: OrgQuery,
  ): Promise<ConversationDto> {
    await this.operations.reopen(org, id, actor);
    return this.read(org, id);
  }

  @Post('stop')
  @Write({ action: 'conversation.stop', summary: 'Stop the running turn; its deliveries complete as interrupted' })
  @ApiOkResponse({ type: ConversationDto })
  async stop(
    @By() { org, actor }: Caller,
    @Param('id', ConversationIdPipe) id: string,
    @Query() _query: OrgQuery,
  ): Promise<ConversationDto> {
    await this.operations.stop(org, id, actor);
    return this.read(org, id);
  }

  @Post('reset')
  @Write({ action: 'conversation.reset', summary: 'Begin anew: what waits or runs is done with, and the agent has forgotten' })
  @ApiOkResponse({ type: ConversationDto })
  async reset(
    @By() { org, actor }: Caller,
    @Param('id', ConversationIdPipe) id: string,
    @Query() _query: OrgQuery,
  ): Promise<ConversationDto> {
    await this.operations.reset(org, id, actor);
    return this.read(org, id);
  }

  @Post('pause')
  @Write({ action: 'conversation.pause', summary: 'Let nothing of it be worked on until it is resumed' })
  @ApiOkResponse({ type: ConversationDto })
  async pause(
    @By() { org, actor }: Caller,
    @Param('id', ConversationIdPipe) id: string,
    @Query() _query: OrgQuery,
  ): Promise<ConversationDto> {
    await this.operations.pause(org, id, actor);
    return this.read(org, id);
  }

  @Post('resume')
  @Write({ action: 'conversation.resume', summary: 'End a pause, or let go on what was put aside for a loop or for its costs' })
  @ApiOkResponse({ type: ConversationDto })
  async resume(
    @By() { org, actor }: Caller,
    @Param('id', ConversationIdPipe) id: string,
    @Query() _query: OrgQuery,
  ): Promise<ConversationDto> {
    await this.operations.resume(org, id, actor);
    return this.read(org, id);
  }

  private async read(org: string, id: string): Promise<ConversationDto> {
    return toConversation(await this.database.transaction((tx) => existing(tx, org, id)));
  }
}
