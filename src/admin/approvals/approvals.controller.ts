import { Body, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { ApprovalDesk, type Decided } from '../../core/approvals/approval-desk.js';
import { listApprovals, showApproval } from '../../core/approvals/list-approvals.js';
import { isConversationId } from '../../core/conversations/conversation-id.js';
import { Database } from '../../database/database.js';
import { ApiOkResponse, ApiOperation } from '../../http/documented.js';
import { Conflict, NotFound } from '../../plugin/index.js';
import { By, type Caller } from '../access/caller.js';
import { badParameter } from '../errors.js';
import { AdminController } from '../http/admin-controller.js';
import { pageOf, sliceOf } from '../http/cursor.js';
import { ApprovalIdPipe } from '../http/ids.js';
import { OrgQuery, type Page, PageOf } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { Write } from '../http/write.js';
import { ApprovalDto, ApprovalQuery, DecisionBody } from './approval.dto.js';
import { toApproval } from './approval.view.js';

@AdminController('v1/approvals', 'approvals')
export class ApprovalsController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ApprovalDesk) private readonly desk: ApprovalDesk,
  ) {}

  @Get()
  @ApiOperation({ summary: 'What agents want to do, or were allowed to do, newest first' })
  @ApiOkResponse({ type: PageOf(ApprovalDto) })
  async list(@By() { org }: Caller, @Query() query: ApprovalQuery): Promise<Page<ApprovalDto>> {
    const slice = sliceOf(query, ['number', 'approval']);
    const { state, conversation } = query;
    if (conversation !== undefined && !isConversationId(conversation))
      throw badParameter('conversation', 'should be the id of a conversation');
    return pageOf(await this.database.transaction((tx) => listApprovals(tx, org, { state, conversation }, slice)), toApproval);
  }

  @Get(':id')
  @ApiOperation({ summary: 'One of them, with exactly what would be done' })
  @ApiOkResponse({ type: ApprovalDto })
  @Refuses(404)
  async read(@By() { org }: Caller, @Param('id', ApprovalIdPipe) id: string, @Query() _query: OrgQuery): Promise<ApprovalDto> {
    return this.show(org, id);
  }

  @Post(':id/approve')
  @Write({
    action: 'approval.approve',
    summary: 'Allow it, once; it is then done, and the agent is told what came of it',
    kept: ['reason'],
  })
  @ApiOkResponse({ type: ApprovalDto })
  @Refuses(404)
  approve(
    @By() caller: Caller,
    @Param('id', ApprovalIdPipe) id: string,
    @Body() body: DecisionBody,
    @Query() _query: OrgQuery,
  ): Promise<ApprovalDto> {
    return this.decide(caller, id, 'approve', body);
  }

  @Post(':id/deny')
  @Write({ action: 'approval.deny', summary: 'Refuse it; the agent is told', kept: ['reason'] })
  @ApiOkResponse({ type: ApprovalDto })
  @Refuses(404)
  deny(
    @By() caller: Caller,
    @Param('id', ApprovalIdPipe) id: string,
    @Body() body: DecisionBody,
    @Query() _query: OrgQuery,
  ): Promise<ApprovalDto> {
    return this.decide(caller, id, 'deny', body);
  }

  private async decide({ org, actor }: Caller, id: string, decision: 'approve' | 'deny', { reason }: DecisionBody): Promise<ApprovalDto> {
    const decided = await this.desk.decide({ org, approval: id, decision, by: actor, reason: reason ?? null });
    if (decided.is === 'decided') return this.show(org, id);
    throw refusalOf(decided);
  }

  private async show(org: string, id: string): Promise<ApprovalDto> {
    const row = await this.database.transaction((tx) => showApproval(tx, org, id));
    if (row === null) throw new NotFound(`There is no approval ${id}; it may have expired.`);
    return toApproval(row);
  }
}

function refusalOf(decided: Exclude<Decided, { is: 'decided' }>): Error {
  if (decided.is === 'unknown') return new NotFound('There is no such approval; it may have expired.');
  if (decided.is === 'refused') return new Conflict(decided.why);
  return new Conflict(whatItIs(decided));
}

function whatItIs({ is, row }: Extract<Decided, { row: unknown }>): string {
  if (is === 'already') return `This was already decided by ${row.decided_by}: it is ${row.state}.`;
  if (row.state === 'void') return `This is void: its conversation was ${row.reason ?? 'ended'}.`;
  return 'This has expired: nobody decided in time.';
}
