import { Get, Inject, Param, Post, Query } from '@nestjs/common';
import { Admissions } from '../../core/admission/admissions.js';
import { admitKept } from '../../core/admission/admit-kept.js';
import { Database } from '../../database/database.js';
import { ApiOkResponse, ApiOperation } from '../../http/documented.js';
import { NotFound } from '../../plugin/index.js';
import { By, type Caller } from '../access/caller.js';
import { HostView } from '../host-view.js';
import { AdminController } from '../http/admin-controller.js';
import { configured } from '../http/configured.js';
import { OrgQuery, type Page, PageOf, PageQuery } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { Write } from '../http/write.js';
import { PluginDto, ReplayedRouteDto, RouteDto } from './host.dto.js';

@AdminController('v1/plugins', 'host')
export class PluginsController {
  constructor(@Inject(HostView) private readonly host: HostView) {}

  @Get()
  @ApiOperation({ summary: 'Plugins that are loaded' })
  @ApiOkResponse({ type: PageOf(PluginDto) })
  list(@Query() query: PageQuery): Page<PluginDto> {
    return configured(this.host.plugins(), query, ({ name, apiVersion, transports, runtimes }) => ({
      ...{ name, api_version: apiVersion },
      ...{ transports: [...transports], runtimes: [...runtimes] },
    }));
  }
}

@AdminController('v1/routes', 'host')
export class RoutesController {
  constructor(
    @Inject(HostView) private readonly host: HostView,
    @Inject(Database) private readonly database: Database,
    @Inject(Admissions) private readonly admissions: Admissions,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Routes of the organisation, in the order in which events are held against them' })
  @ApiOkResponse({ type: PageOf(RouteDto) })
  list(@By() { org }: Caller, @Query() query: PageQuery): Page<RouteDto> {
    const own = this.host.routes().filter((route) => route.org === org);
    return configured(own, query, ({ name, connection, workspace, on, filter, scope, activation, wake }) => ({
      ...{ name, org, connection, workspace, on: [...on], filter, scope, activation, wake },
    }));
  }

  @Post(':name/replay')
  @Write({ action: 'route.replay', summary: 'Admit the next events that the route has kept while it was `on_demand`, in their order' })
  @ApiOkResponse({ type: ReplayedRouteDto })
  @Refuses(404)
  async replay(@By() { org, actor }: Caller, @Param('name') name: string, @Query() _query: OrgQuery): Promise<ReplayedRouteDto> {
    if (!this.host.routes().some((route) => route.org === org && route.name === name)) throw new NotFound(`There is no route ${name}.`);
    const { admitted, lost, isDone } = await admitKept(this.database, this.admissions, { org, name }, actor);
    return { admitted, lost, has_more: !isDone };
  }
}
