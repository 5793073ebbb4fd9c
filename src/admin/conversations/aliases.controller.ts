import { Body, Delete, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { IsString, Length, Matches } from 'class-validator';
import { AliasBindings } from '../../core/alias-bindings.js';
import type { AliasRow } from '../../core/subjects/subjects.js';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiPropertyOptional } from '../../http/documented.js';
import { By, type Caller } from '../access/caller.js';
import { AdminController } from '../http/admin-controller.js';
import { Instant, Parts, Storable, Text } from '../http/fields.js';
import { ConversationIdPipe } from '../http/ids.js';
import { instant } from '../http/instant.js';
import { OrgQuery } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { Write } from '../http/write.js';

const LONGEST_NAMESPACE = 500;
const LONGEST_KEY = 500;
const NOT_BLANK = { message: 'should not be blank' };

export class AliasBody {
  @Text('Provider, tenant and kind of the further subject.')
  @IsString()
  @Length(1, LONGEST_NAMESPACE)
  @Matches(/\S/, NOT_BLANK)
  @Storable()
  namespace!: string;

  @Text('The immutable id within it.')
  @IsString()
  @Length(1, LONGEST_KEY)
  @Matches(/\S/, NOT_BLANK)
  @Storable()
  key!: string;
}

export class AliasQuery extends OrgQuery {
  @ApiPropertyOptional({ type: String, required: true, description: 'Namespace of the alias.' })
  @IsString()
  @Length(1, LONGEST_NAMESPACE)
  @Storable()
  namespace!: string;

  @ApiPropertyOptional({ type: String, required: true, description: 'Key of the alias.' })
  @IsString()
  @Length(1, LONGEST_KEY)
  @Storable()
  key!: string;
}

export class AliasDto {
  @Text('Provider, tenant and kind.')
  namespace!: string;

  @Text('The immutable id within it.')
  key!: string;

  @Text('Who bound it; `accept`: the provider moved the subject.')
  bound_by!: string;

  @Instant('Since when.')
  bound_at!: string;
}

export class AliasesDto {
  @Parts(AliasDto, 'Oldest first.')
  items!: AliasDto[];
}

@AdminController('v1/conversations/:id/aliases', 'conversations')
@Refuses(404)
export class AliasesController {
  constructor(@Inject(AliasBindings) private readonly bindings: AliasBindings) {}

  @Get()
  @ApiOperation({ summary: 'Further subjects whose events belong to a conversation' })
  @ApiOkResponse({ type: AliasesDto })
  async list(@By() { org }: Caller, @Param('id', ConversationIdPipe) id: string, @Query() _query: OrgQuery): Promise<AliasesDto> {
    return { items: (await this.bindings.list({ org, conversation: id })).map(toAlias) };
  }

  @Post()
  @Write({
    action: 'conversation.alias',
    summary: 'Let events about a further subject belong to a conversation',
    kept: ['namespace', 'key'],
    status: 201,
  })
  @ApiCreatedResponse({ type: AliasesDto })
  async bind(
    @By() { org, actor }: Caller,
    @Param('id', ConversationIdPipe) id: string,
    @Body() { namespace, key }: AliasBody,
    @Query() _query: OrgQuery,
  ): Promise<AliasesDto> {
    await this.bindings.bind({ org, conversation: id, by: actor }, { namespace, key });
    return { items: (await this.bindings.list({ org, conversation: id })).map(toAlias) };
  }

  @Delete()
  @Write({
    action: 'conversation.unalias',
    summary: 'Let events about a subject have a conversation of their own again',
    kept: ['namespace', 'key'],
  })
  @ApiOkResponse({ type: AliasesDto })
  async remove(
    @By() { org, actor }: Caller,
    @Param('id', ConversationIdPipe) id: string,
    @Query() { namespace, key }: AliasQuery,
  ): Promise<AliasesDto> {
    await this.bindings.remove({ org, conversation: id, by: actor }, { namespace, key });
    return { items: (await this.bindings.list({ org, conversation: id })).map(toAlias) };
  }
}

function toAlias({ namespace, key, alias_by, alias_at }: AliasRow): AliasDto {
  return { namespace, key, bound_by: alias_by, bound_at: instant(alias_at) };
}
