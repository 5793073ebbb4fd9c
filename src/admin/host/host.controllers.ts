import { Get, Inject, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { Database } from '../../database/database.js';
import { By, type Caller } from '../access/caller.js';
import { HostView } from '../host-view.js';
import { AdminController } from '../http/admin-controller.js';
import { pageOf, sliceOf } from '../http/cursor.js';
import { OrgQuery, type Page, PageOf, PageQuery } from '../http/page.js';
import { CapabilitiesDto, ConnectionDto, PluginDto, RouteDto } from './host.dto.js';

@AdminController('v1/connections', 'host')
export class ConnectionsController {
  constructor(@Inject(HostView) private readonly host: HostView) {}

  @Get()
  @ApiOperation({ summary: 'Connections of the organisation' })
  @ApiOkResponse({ type: PageOf(ConnectionDto) })
  list(@By() { org }: Caller, @Query() query: PageQuery): Page<ConnectionDto> {
    const own = this.host.connections().filter((connection) => connection.org === org);
    return slice(own, query, ({ name, plugin, source, secrets }) => ({
      name,
      org,
      plugin,
      source,
      endpoint: `/v1/events/${org}/${name}`,
      secrets,
    }));
  }
}

@AdminController('v1/plugins', 'host')
export class PluginsController {
  constructor(@Inject(HostView) private readonly host: HostView) {}

  @Get()
  @ApiOperation({ summary: 'Plugins that are loaded' })
  @ApiOkResponse({ type: PageOf(PluginDto) })
  list(@Query() query: PageQuery): Page<PluginDto> {
    return slice(this.host.plugins(), query, ({ name, apiVersion, transports, runtimes }) => ({
      ...{ name, api_version: apiVersion },
      ...{ transports: [...transports], runtimes: [...runtimes] },
    }));
  }
}

@AdminController('v1/routes', 'host')
export class RoutesController {
  constructor(@Inject(HostView) private readonly host: HostView) {}

  @Get()
  @ApiOperation({ summary: 'Routes of the organisation, in the order in which events are held against them' })
  @ApiOkResponse({ type: PageOf(RouteDto) })
  list(@By() { org }: Caller, @Query() query: PageQuery): Page<RouteDto> {
    const own = this.host.routes().filter((route) => route.org === org);
    return slice(own, query, ({ name, connection, workspace, on, filter, scope, activation, wake }) => ({
      ...{ name, org, connection, workspace, on: [...on], filter, scope, activation, wake },
    }));
  }
}

@AdminController('v1/capabilities', 'host')
export class CapabilitiesController {
  constructor(
    @Inject(HostView) private readonly host: HostView,
    @Inject(Database) private readonly database: Database,
  ) {}

  @Get()
  @ApiOperation({ summary: 'What this server is and has' })
  @ApiOkResponse({ type: CapabilitiesDto })
  read(@By() { org, role, actor }: Caller, @Query() _query: OrgQuery): CapabilitiesDto {
    const plugins = this.host.plugins().map(({ name }) => name);
    const orgs = actor === 'environment' ? [...this.host.orgs()] : [org];
    return { version: this.host.version(), database: this.database.dialect.name, orgs, runtimes: [...this.host.runtimes()], plugins, role };
  }
}

/** Lists out of the configuration do not change while the server runs, so a place in them is a cursor. */
function slice<Row, Item>(rows: readonly Row[], query: PageQuery, view: (row: Row) => Item): Page<Item> {
  const { after, limit } = sliceOf(query, ['number']);
  const from = Math.max(after?.[0] ?? 0, 0);
  const to = from + limit;
  return pageOf({ rows: rows.slice(from, to), next: to < rows.length ? [to] : null }, view);
}
