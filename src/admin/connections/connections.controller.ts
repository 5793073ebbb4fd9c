import { Get, Inject, Param, Post, Query } from '@nestjs/common';
import { revokeLeases } from '../../core/leases/leases.js';
import { Signals } from '../../core/signals.js';
import { Database } from '../../database/database.js';
import { ApiOkResponse, ApiOperation } from '../../http/documented.js';
import { Conflict, NotFound } from '../../plugin/index.js';
import { By, type Caller } from '../access/caller.js';
import { type ConnectionInfo, HostView } from '../host-view.js';
import { AdminController } from '../http/admin-controller.js';
import { configured } from '../http/configured.js';
import { OrgQuery, type Page, PageOf, PageQuery } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { Write } from '../http/write.js';
import { ConnectionDto } from './connection.dto.js';
import { readStanding, toConnection } from './connection.view.js';

@AdminController('v1/connections', 'host')
export class ConnectionsController {
  constructor(
    @Inject(HostView) private readonly host: HostView,
    @Inject(Database) private readonly database: Database,
    @Inject(Signals) private readonly signals: Signals,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Connections of the organisation, and how what is kept up for them stands' })
  @ApiOkResponse({ type: PageOf(ConnectionDto) })
  async list(@By() { org }: Caller, @Query() query: PageQuery): Promise<Page<ConnectionDto>> {
    const own = this.ofOrg(org);
    const standing = await this.database.transaction((tx) => readStanding(tx, org, own));
    return configured(own, query, (connection) => toConnection(connection, standing));
  }

  @Post(':name/restart')
  @Write({ action: 'connection.restart', summary: 'Close what is kept up for a connection, on whatever replica, and begin it anew' })
  @ApiOkResponse({ type: ConnectionDto })
  @Refuses(404)
  async restart(@By() { org }: Caller, @Param('name') name: string, @Query() _query: OrgQuery): Promise<ConnectionDto> {
    const connection = this.ofOrg(org).find((each) => each.name === name);
    if (!connection) throw new NotFound(`there is no connection ${name}`);
    const leases = connection.sources.map((source) => source.name);
    if (leases.length === 0) throw new Conflict(`the connection ${name} takes webhooks only: there is nothing to restart`);
    const standing = await this.database.transaction(async (tx) => {
      await revokeLeases(tx, leases);
      return readStanding(tx, org, [connection]);
    });
    this.signals.emit('sources');
    return toConnection(connection, standing);
  }

  private ofOrg(org: string): ConnectionInfo[] {
    return this.host.connections().filter((connection) => connection.org === org);
  }
}
