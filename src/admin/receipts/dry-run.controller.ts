import { Body, HttpCode, Inject, Post, Query } from '@nestjs/common';
import { Admissions } from '../../core/admission/admissions.js';
import { Database } from '../../database/database.js';
import { ApiOkResponse, ApiOperation } from '../../http/documented.js';
import { EventSources } from '../../ingress/event-source.js';
import { Needs } from '../access/bearer.guard.js';
import { By, type Caller } from '../access/caller.js';
import { badParameter } from '../errors.js';
import { HostView } from '../host-view.js';
import { AdminController } from '../http/admin-controller.js';
import { OrgQuery } from '../http/page.js';
import { DryRunBody, DryRunDto } from './dry-run.dto.js';
import { dryRunOf, sampleEvent } from './dry-run.js';
import { unknownRoutes } from './unknown-routes.js';

@AdminController('v1/dry-run', 'receipts')
export class DryRunController {
  constructor(
    @Inject(Admissions) readonly admissions: Admissions,
    @Inject(EventSources) private readonly sources: EventSources,
    @Inject(Database) readonly database: Database,
    @Inject(HostView) private readonly host: HostView,
  ) {}

  @Post()
  @HttpCode(200)
  @Needs('operator')
  @ApiOperation({ summary: 'What would become of an event; nothing is stored', description: 'Needs the role operator.' })
  @ApiOkResponse({ type: DryRunDto })
  async run(@By() { org }: Caller, @Body() { source, event, payload, route }: DryRunBody, @Query() _query: OrgQuery): Promise<DryRunDto> {
    const found = this.sources.find(org, source);
    if (found === null) throw badParameter('source', `names no connection: there is no ${source}`);
    const unknown = await unknownRoutes(route === undefined ? [] : [route], org, { host: this.host, database: this.database });
    if (unknown.size > 0) throw badParameter('route', `names no route and no automation: there is no ${route}`);
    const sample = sampleEvent(found, payload, event ?? null);
    return dryRunOf(sample, route ?? null, this);
  }
}
