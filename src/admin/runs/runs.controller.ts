import { Get, Inject, Param, Post, Query } from '@nestjs/common';
import { isConversationId } from '../../core/conversations/conversation-id.js';
import { listRuns } from '../../core/runs/list-runs.js';
import { RunDesk } from '../../core/runs/run-desk.js';
import { listLogs, phasesOf } from '../../core/runs/run-logs.js';
import { Database } from '../../database/database.js';
import { ApiOkResponse, ApiOperation } from '../../http/documented.js';
import { By, type Caller } from '../access/caller.js';
import { badParameter } from '../errors.js';
import { AdminController } from '../http/admin-controller.js';
import { pageOf, sliceOf } from '../http/cursor.js';
import { RunIdPipe } from '../http/ids.js';
import { instant } from '../http/instant.js';
import { OrgQuery, type Page, PageOf } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { Write } from '../http/write.js';
import { LogDto, LogQuery, RunDetailDto, RunDto, RunQuery } from './run.dto.js';
import { toLog, toRun } from './run.view.js';

@AdminController('v1/runs', 'runs')
export class RunsController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(RunDesk) private readonly desk: RunDesk,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Runs of automations, newest first' })
  @ApiOkResponse({ type: PageOf(RunDto) })
  async list(@By() { org }: Caller, @Query() query: RunQuery): Promise<Page<RunDto>> {
    const { automation, state, cause, conversation, subject, since } = query;
    for (const [name, id] of Object.entries({ automation, conversation }))
      if (id !== undefined && !isConversationId(id))
        throw badParameter(name, `should be the id of ${name === 'automation' ? 'an' : 'a'} ${name}`);
    const slice = sliceOf(query, ['number', 'id']);
    const filter = { automation, state, cause, conversation, subject, since };
    return pageOf(await this.database.transaction((tx) => listRuns(tx, org, filter, slice)), toRun);
  }

  @Get(':id')
  @ApiOperation({ summary: 'One of them, with the steps that it has gone through' })
  @ApiOkResponse({ type: RunDetailDto })
  @Refuses(404)
  async read(@By() { org }: Caller, @Param('id', RunIdPipe) id: string, @Query() _query: OrgQuery): Promise<RunDetailDto> {
    return this.detail(org, id);
  }

  @Get(':id/logs')
  @ApiOperation({ summary: 'What it has gone through, and the ends of what its entrypoint printed, in order' })
  @ApiOkResponse({ type: PageOf(LogDto) })
  @Refuses(404)
  async logs(@By() { org }: Caller, @Param('id', RunIdPipe) id: string, @Query() query: LogQuery): Promise<Page<LogDto>> {
    await this.desk.read(org, id);
    const slice = sliceOf(query, ['number']);
    return pageOf(await this.database.transaction((tx) => listLogs(tx, id, query.kind, slice)), toLog);
  }

  @Post(':id/cancel')
  @Write({ action: 'run.cancel', summary: 'Stop it, whatever it is at: its turn, its sandbox, and what waits in its conversation' })
  @ApiOkResponse({ type: RunDetailDto })
  @Refuses(404)
  async cancel(@By() { org, actor }: Caller, @Param('id', RunIdPipe) id: string, @Query() _query: OrgQuery): Promise<RunDetailDto> {
    await this.desk.cancel(org, id, actor);
    return this.detail(org, id);
  }

  private async detail(org: string, id: string): Promise<RunDetailDto> {
    const row = await this.desk.read(org, id);
    const phases = await this.database.transaction((tx) => phasesOf(tx, id));
    return { ...toRun(row), phases: phases.map(({ body, at }) => ({ phase: body, at: instant(at) })) };
  }
}
