import { Get, Inject, Query } from '@nestjs/common';
import { AutomationWorld } from '../../core/automations/automation-desk.js';
import { LONGEST_RUN_MS } from '../../core/automations/read-spec.js';
import type { Surroundings } from '../../core/automations/surroundings.js';
import { Database } from '../../database/database.js';
import { ApiOkResponse, ApiOperation } from '../../http/documented.js';
import { functionNames } from '../../plugin/expressions/check-expression.js';
import { By, type Caller } from '../access/caller.js';
import { HostView } from '../host-view.js';
import { AdminController } from '../http/admin-controller.js';
import { OrgQuery } from '../http/page.js';
import { type AutomationCapabilitiesDto, CapabilitiesDto } from './host.dto.js';

@AdminController('v1/capabilities', 'host')
export class CapabilitiesController {
  constructor(
    @Inject(HostView) private readonly host: HostView,
    @Inject(Database) private readonly database: Database,
    @Inject(AutomationWorld) private readonly world: AutomationWorld,
  ) {}

  @Get()
  @ApiOperation({ summary: 'What this server is and has' })
  @ApiOkResponse({ type: CapabilitiesDto })
  async read(@By() { org, role, actor }: Caller, @Query() _query: OrgQuery): Promise<CapabilitiesDto> {
    const plugins = this.host.plugins().map(({ name }) => name);
    const orgs = actor === 'environment' ? [...this.host.orgs()] : [org];
    const around = await this.database.transaction((tx) => this.world.around(tx, org));
    return {
      ...{ version: this.host.version(), database: this.database.dialect.name, orgs, runtimes: [...this.host.runtimes()], plugins, role },
      ready: this.host.readiness().recovered && around.runtimes.size > 0,
      automations: toAutomations(around),
    };
  }
}

function toAutomations({ runtimes, workspaces, sources }: Surroundings): AutomationCapabilitiesDto {
  return {
    ...{
      trigger_types: ['event', 'cron'],
      event_sources: [...sources.keys()],
      runtimes: [...runtimes.keys()],
      workspaces: [...workspaces.keys()],
    },
    sandboxed_runtimes: [...runtimes].filter(([, { isSandboxed }]) => isSandboxed).map(([name]) => name),
    ...{ expression_language: 'jmespath', expression_functions: functionNames() },
    ...{ min_interval_seconds: 60, max_timeout_seconds: LONGEST_RUN_MS / 1000 },
  };
}
