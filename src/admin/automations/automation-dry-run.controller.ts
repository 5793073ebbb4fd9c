import { Body, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import type { Listening } from '../../core/automations/triggers.js';
import { latestReceipts } from '../../core/receipts/list-receipts.js';
import { Database } from '../../database/database.js';
import { ApiOkResponse, ApiOperation } from '../../http/documented.js';
import { EventSources } from '../../ingress/event-source.js';
import { Needs } from '../access/bearer.guard.js';
import { By, type Caller } from '../access/caller.js';
import { badParameter } from '../errors.js';
import { AdminController } from '../http/admin-controller.js';
import { AutomationIdPipe } from '../http/ids.js';
import { OrgQuery } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { sampleEvent } from '../receipts/dry-run.js';
import { AutomationDryRunBody, AutomationDryRunDto, type SampleBody, type TrialDto } from './dry-run.dto.js';
import { existingAutomation } from './existing-automation.js';
import { trialOfReceipt, trialOfSample } from './trials.js';

@AdminController('v1/automations/:id/dry-run', 'automations')
@Refuses(404)
export class AutomationDryRunController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(EventSources) private readonly sources: EventSources,
  ) {}

  @Post()
  @HttpCode(200)
  @Needs('operator')
  @ApiOperation({
    summary: 'What it would make of an event, or of the last ones that came; nothing is stored',
    description: 'Needs the role operator.',
  })
  @ApiOkResponse({ type: AutomationDryRunDto })
  async run(
    @By() { org }: Caller,
    @Param('id', AutomationIdPipe) id: string,
    @Body() { sample, last }: AutomationDryRunBody,
    @Query() _query: OrgQuery,
  ): Promise<AutomationDryRunDto> {
    const { automation, receipts } = await this.database.transaction(async (tx) => {
      const found = await existingAutomation(tx, org, id);
      const sources = sourcesOf(found);
      return { automation: found, receipts: sample || sources.length === 0 ? [] : await latestReceipts(tx, org, sources, last) };
    });
    const events = sample ? [this.tried(automation, sample)] : receipts.map((receipt) => trialOfReceipt(automation, receipt));
    return { matched: events.filter(({ matched }) => matched).length, events };
  }

  private tried(automation: Listening, { source, event, payload }: SampleBody): TrialDto {
    const name = source ?? sourcesOf(automation)[0];
    if (name === undefined) throw badParameter('sample.source', 'is needed: the automation has no trigger for events');
    const found = this.sources.find(automation.org, name);
    if (found === null) throw badParameter('sample.source', `names no source of webhooks: there is no ${name}`);
    return trialOfSample(automation, sampleEvent(found, payload, event ?? null));
  }
}

function sourcesOf({ spec }: Listening): string[] {
  return [...new Set(spec.triggers.flatMap((trigger) => (trigger.type === 'event' ? [trigger.source] : [])))];
}
