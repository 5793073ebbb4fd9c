import { Get, Inject, Param, Post, Query } from '@nestjs/common';
import { listControls } from '../../core/controls/list-controls.js';
import { Reconciliation } from '../../core/controls/reconciliation.js';
import { Database } from '../../database/database.js';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation } from '../../http/documented.js';
import { By, type Caller } from '../access/caller.js';
import { AdminController } from '../http/admin-controller.js';
import { pageOf, sliceOf } from '../http/cursor.js';
import { ConversationIdPipe } from '../http/ids.js';
import { OrgQuery, type Page, PageOf } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { Write } from '../http/write.js';
import { ControlQuery, ListedControlDto } from './control.dto.js';
import { toListedControl } from './control.view.js';

@AdminController('v1/controls', 'controls')
export class ControlsController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Reconciliation) private readonly reconciliation: Reconciliation,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The threads in which people see conversations, newest first' })
  @ApiOkResponse({ type: PageOf(ListedControlDto) })
  async list(@By() { org }: Caller, @Query() query: ControlQuery): Promise<Page<ListedControlDto>> {
    const slice = sliceOf(query, ['number', 'id']);
    return pageOf(await this.database.transaction((tx) => listControls(tx, org, query, slice)), toListedControl);
  }

  @Post(':conversation/reconcile')
  @Write({
    action: 'control.reconcile',
    summary: 'Verify the thread of a conversation now, make it where there is none, archive it where the conversation has ended',
    status: 202,
  })
  @ApiAcceptedResponse({ type: ListedControlDto })
  @Refuses(404)
  async reconcile(
    @By() { org }: Caller,
    @Param('conversation', ConversationIdPipe) conversation: string,
    @Query() _query: OrgQuery,
  ): Promise<ListedControlDto> {
    return toListedControl(await this.reconciliation.reconcile(org, conversation));
  }
}
