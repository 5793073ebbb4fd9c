import { Get, Inject, Param, Post, Query } from '@nestjs/common';
import { AutomationDesk } from '../../core/automations/automation-desk.js';
import { findVersion, listVersions } from '../../core/automations/list-automations.js';
import { Database } from '../../database/database.js';
import { ApiOkResponse, ApiOperation } from '../../http/documented.js';
import { NotFound } from '../../plugin/index.js';
import { By, type Caller } from '../access/caller.js';
import { AdminController } from '../http/admin-controller.js';
import { pageOf, sliceOf } from '../http/cursor.js';
import { AutomationIdPipe, VersionPipe } from '../http/ids.js';
import { OrgQuery, type Page, PageOf, PageQuery } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { Write } from '../http/write.js';
import { AutomationDto, AutomationVersionDto } from './automation.dto.js';
import { toAutomation, toVersion } from './automation.view.js';
import { existingAutomation } from './existing-automation.js';
import { ownerOrAdmin } from './owner-or-admin.js';

@AdminController('v1/automations/:id/versions', 'automations')
@Refuses(404)
export class AutomationVersionsController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(AutomationDesk) private readonly desk: AutomationDesk,
  ) {}

  @Get()
  @ApiOperation({ summary: 'What it was after each change, newest first' })
  @ApiOkResponse({ type: PageOf(AutomationVersionDto) })
  async list(
    @By() { org }: Caller,
    @Param('id', AutomationIdPipe) id: string,
    @Query() query: PageQuery,
  ): Promise<Page<AutomationVersionDto>> {
    const slice = sliceOf(query, ['small']);
    const found = await this.database.transaction(async (tx) => {
      await existingAutomation(tx, org, id);
      return listVersions(tx, id, slice);
    });
    return pageOf(found, toVersion);
  }

  @Get(':version')
  @ApiOperation({ summary: 'What it was in one version' })
  @ApiOkResponse({ type: AutomationVersionDto })
  async read(
    @By() { org }: Caller,
    @Param('id', AutomationIdPipe) id: string,
    @Param('version', VersionPipe) version: number,
    @Query() _query: OrgQuery,
  ): Promise<AutomationVersionDto> {
    const found = await this.database.transaction(async (tx) => {
      await existingAutomation(tx, org, id);
      return findVersion(tx, id, version);
    });
    if (found === null) throw new NotFound(`Automation ${id} has no version ${version}.`);
    return toVersion(found);
  }

  @Post(':version/restore')
  @Write({ action: 'automation.restore', summary: 'Make it what it was in that version, as a new version. Its owner or an admin may' })
  @ApiOkResponse({ type: AutomationDto })
  async restore(
    @By() caller: Caller,
    @Param('id', AutomationIdPipe) id: string,
    @Param('version', VersionPipe) version: number,
    @Query() _query: OrgQuery,
  ): Promise<AutomationDto> {
    const asked = { org: caller.org, id, by: caller.actor, mayChange: ownerOrAdmin(caller) };
    return toAutomation(await this.desk.restore(asked, version));
  }
}
