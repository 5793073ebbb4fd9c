import { Get, Inject, Query } from '@nestjs/common';
import { listNotices, type NoticeRow } from '../../core/notices/notices.js';
import { Database } from '../../database/database.js';
import { ApiOkResponse, ApiOperation } from '../../http/documented.js';
import type { Parsed } from '../../plugin/index.js';
import { By, type Caller } from '../access/caller.js';
import { AdminController } from '../http/admin-controller.js';
import { pageOf, sliceOf } from '../http/cursor.js';
import { Filter, Instant, Part, Text, TextOrNull, Texts } from '../http/fields.js';
import { instant } from '../http/instant.js';
import { type Page, PageOf, PageQuery } from '../http/page.js';
import { decisionDetail } from '../receipts/decision-detail.js';

export class NoticeQuery extends PageQuery {
  @Filter('Name of the connection.')
  source?: string;

  @Filter('The provider’s id of the person.')
  author?: string;
}

export class RefusedAuthorDto {
  @Text('The provider’s id of the person.')
  id!: string;

  @TextOrNull('The name; null once the words of the event were purged.')
  name!: string | null;
}

export class NoticeDto {
  @Instant('When the person was refused first on that day.')
  at!: string;

  @Text('Name of the connection.')
  source!: string;

  @Part(RefusedAuthorDto, 'Who was refused.')
  author!: RefusedAuthorDto;

  @Text('Kind of the event.')
  event_key!: string;

  @Text('Receipt of the event.')
  receipt!: string;

  @Texts('The routes that would have taken the event from somebody else.')
  routes!: string[];
}

@AdminController('v1/notices', 'receipts')
export class NoticesController {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Get()
  @ApiOperation({ summary: 'People whom routes do not listen to: the first event of each person, connection and day, newest first' })
  @ApiOkResponse({ type: PageOf(NoticeDto) })
  async list(@By() { org }: Caller, @Query() query: NoticeQuery): Promise<Page<NoticeDto>> {
    const slice = sliceOf(query, ['number']);
    return pageOf(await this.database.transaction((tx) => listNotices(tx, org, query, slice)), toNotice);
  }
}

function toNotice({ received_at, source, author, event_key, receipt, parsed, detail }: NoticeRow): NoticeDto {
  const { author: named } = JSON.parse(parsed) as Parsed;
  const refusing = decisionDetail(detail).refusals.filter(({ reason }) => reason === 'author_not_allowed');
  return {
    ...{ at: instant(received_at), source, author: { id: author, name: named?.name ?? null } },
    ...{ event_key, receipt: String(receipt), routes: refusing.map(({ route }) => route) },
  };
}
