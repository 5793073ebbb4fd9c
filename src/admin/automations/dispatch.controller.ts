import { Body, Inject, Param, Post, Query, Req } from '@nestjs/common';
import { IsObject, IsOptional } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { dispatchAutomation } from '../../automations/triggers/dispatch-automation.js';
import { Admissions } from '../../core/admission/admissions.js';
import { type RunStart, readRunStart } from '../../core/runs/runs.js';
import { Database } from '../../database/database.js';
import { ApiCreatedResponse, ApiPropertyOptional } from '../../http/documented.js';
import { Conflict, NotFound } from '../../plugin/index.js';
import { By, type Caller } from '../access/caller.js';
import { badParameter } from '../errors.js';
import { AdminController } from '../http/admin-controller.js';
import { Text } from '../http/fields.js';
import { AutomationIdPipe } from '../http/ids.js';
import { instant } from '../http/instant.js';
import { OrgQuery } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { Write } from '../http/write.js';

/** Characters of JSON. */
const LONGEST_INPUTS = 64 * 1024;

export class DispatchBody {
  @ApiPropertyOptional({ type: Object, description: 'What it is to be given: the agent is told it, and a script finds it in its event.' })
  @IsOptional()
  @IsObject()
  inputs?: Record<string, unknown>;
}

export class StartedRunDto {
  @Text('Id of the run.')
  id!: string;

  @Text('The automation.')
  automation_id!: string;

  @Text('The conversation that it opens.')
  conversation_id!: string;

  @Text('The receipt that tells of the dispatch.')
  receipt!: string;

  @Text('`queued` at first; it may have begun, or ended, where the same request was answered before.')
  state!: string;

  @Text('When it was asked for.')
  created_at!: string;
}

class RunInProgress extends Conflict {
  override readonly code = 'run_in_progress';
}

@AdminController('v1/automations/:id', 'automations')
@Refuses(404)
export class DispatchController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Admissions) private readonly admissions: Admissions,
  ) {}

  @Post('dispatch')
  @Write({ action: 'automation.dispatch', summary: 'Start it now, also while it is a draft or disabled', status: 201 })
  @ApiCreatedResponse({ type: StartedRunDto })
  async dispatch(
    @By() { org, actor }: Caller,
    @Param('id', AutomationIdPipe) id: string,
    @Body() body: DispatchBody,
    @Query() _query: OrgQuery,
    @Req() request: FastifyRequest,
  ): Promise<StartedRunDto> {
    const { inputs = null } = body ?? {};
    if (JSON.stringify(inputs).length > LONGEST_INPUTS)
      throw badParameter('inputs', `must be no longer than ${LONGEST_INPUTS} characters of JSON`);
    const key = request.headers['idempotency-key'];
    const why = { cause: 'api', key: typeof key === 'string' ? key : null, inputs } as const;
    const dispatched = await dispatchAutomation(
      { database: this.database, admissions: this.admissions },
      { org, automation: id, by: actor, why },
    );
    if (dispatched.run === null)
      throw new RunInProgress(
        `Automation ${id} starts nothing while a run of it lives, and one does; receipt ${dispatched.receipt} tells of it.`,
      );
    const { run } = dispatched;
    const begun = await this.database.transaction((tx) => readRunStart(tx, run));
    if (begun === null) throw new NotFound(`There is no run ${run} any more.`);
    return toStarted(begun, dispatched.receipt);
  }
}

function toStarted({ id, automation, conversation, state, created_at }: RunStart, receipt: string): StartedRunDto {
  return { id, automation_id: automation, conversation_id: conversation, receipt, state, created_at: instant(created_at) };
}
