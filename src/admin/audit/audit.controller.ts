import { Get, Inject, Query } from '@nestjs/common';
import { type AuditRow, listAudit } from '../../core/audit/audits.js';
import { Database } from '../../database/database.js';
import { ApiOkResponse, ApiOperation, ApiProperty } from '../../http/documented.js';
import { By, type Caller } from '../access/caller.js';
import { AdminController } from '../http/admin-controller.js';
import { pageOf, sliceOf } from '../http/cursor.js';
import { Filter, Instant, Text } from '../http/fields.js';
import { instant } from '../http/instant.js';
import { type Page, PageOf, PageQuery } from '../http/page.js';

export class AuditQuery extends PageQuery {
  @Filter('Who did it.')
  actor?: string;

  @Filter('What was done, for example `delivery.retry`.')
  action?: string;

  @Filter('What it was done to.')
  target?: string;
}

export class AuditDto {
  @Text('Its id.')
  id!: string;

  @Instant('When.')
  at!: string;

  @Text('Who: `environment`, or a token by id and name.')
  actor!: string;

  @Text('What was done, for example `delivery.retry`.')
  action!: string;

  @Text('Id of what it was done to.')
  target!: string;

  @ApiProperty({
    type: Object,
    description: '`result` is `done`, or the code of the refusal; beside it what was asked, without texts of messages.',
  })
  detail!: unknown;
}

@AdminController('v1/audit', 'audit')
export class AuditController {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Get()
  @ApiOperation({ summary: 'Who did what through the API, newest first' })
  @ApiOkResponse({ type: PageOf(AuditDto) })
  async list(@By() { org }: Caller, @Query() query: AuditQuery): Promise<Page<AuditDto>> {
    const slice = sliceOf(query, ['number']);
    return pageOf(await this.database.transaction((tx) => listAudit(tx, org, query, slice)), toAudit);
  }
}

function toAudit({ id, at, actor, action, target, detail }: AuditRow): AuditDto {
  return { id: String(id), at: instant(at), actor, action, target, detail: JSON.parse(detail) as unknown };
}
