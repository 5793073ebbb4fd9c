import { Body, Delete, Get, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { type AutomationState, automation } from '../../core/automations/automation.js';
import { type Asked, AutomationDesk } from '../../core/automations/automation-desk.js';
import { listAutomations } from '../../core/automations/list-automations.js';
import { Database } from '../../database/database.js';
import { ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation } from '../../http/documented.js';
import { By, type Caller } from '../access/caller.js';
import { badParameter } from '../errors.js';
import { AdminController } from '../http/admin-controller.js';
import { pageOf, sliceOf } from '../http/cursor.js';
import { AutomationIdPipe } from '../http/ids.js';
import { OrgQuery, type Page, PageOf } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { Write } from '../http/write.js';
import { AutomationBody, AutomationChangeBody, AutomationDto, AutomationQuery } from './automation.dto.js';
import { toAutomation } from './automation.view.js';
import { existingAutomation } from './existing-automation.js';
import { ownerOrAdmin } from './owner-or-admin.js';

/** A body that `readSpec` reads, which tells its faults in its own words. */
type Written = Record<string, unknown>;

@AdminController('v1/automations', 'automations')
export class AutomationsController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(AutomationDesk) private readonly desk: AutomationDesk,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Automations of the organisation, newest first' })
  @ApiOkResponse({ type: PageOf(AutomationDto) })
  async list(@By() { org }: Caller, @Query() query: AutomationQuery): Promise<Page<AutomationDto>> {
    const { state, origin, name } = query;
    const slice = sliceOf(query, ['number', 'id']);
    return pageOf(await this.database.transaction((tx) => listAutomations(tx, org, { state, origin, name }, slice)), toAutomation);
  }

  @Post()
  @Write({ action: 'automation.create', summary: 'Make an automation', kept: ['name', 'state', 'enabled'], status: 201 })
  @ApiBody({ type: AutomationBody })
  @ApiCreatedResponse({ type: AutomationDto })
  async create(@By() { org, actor }: Caller, @Body() body: Written, @Query() _query: OrgQuery): Promise<AutomationDto> {
    const { state, enabled, ...written } = objectOf(body);
    return toAutomation(await this.desk.create(org, actor, written, stateOf(state, enabled) ?? 'enabled'));
  }

  @Get(':id')
  @ApiOperation({ summary: 'One automation' })
  @ApiOkResponse({ type: AutomationDto })
  @Refuses(404)
  async read(@By() { org }: Caller, @Param('id', AutomationIdPipe) id: string, @Query() _query: OrgQuery): Promise<AutomationDto> {
    return toAutomation(await this.database.transaction((tx) => existingAutomation(tx, org, id)));
  }

  @Patch(':id')
  @Write({
    action: 'automation.update',
    summary: 'Change some of its fields; one that is null has its default again. Its owner or an admin may',
    kept: ['name', 'state', 'enabled'],
  })
  @ApiBody({ type: AutomationChangeBody })
  @ApiOkResponse({ type: AutomationDto })
  @Refuses(404)
  async change(
    @By() caller: Caller,
    @Param('id', AutomationIdPipe) id: string,
    @Body() body: Written,
    @Query() _query: OrgQuery,
  ): Promise<AutomationDto> {
    const { version = null, state, enabled, ...patch } = objectOf(body);
    const amendment = { patch, version: versionOf(version), state: stateOf(state, enabled) };
    return toAutomation(await this.desk.amend(asked(caller, id), amendment));
  }

  @Delete(':id')
  @Write({ action: 'automation.delete', summary: 'Delete it; what it has done stays. Its owner or an admin may', status: 204 })
  @ApiNoContentResponse({ description: 'It is gone.' })
  @Refuses(404)
  async remove(@By() caller: Caller, @Param('id', AutomationIdPipe) id: string, @Query() _query: OrgQuery): Promise<void> {
    await this.desk.remove(asked(caller, id));
  }
}

function asked(caller: Caller, id: string): Asked {
  return { org: caller.org, id, by: caller.actor, mayChange: ownerOrAdmin(caller) };
}

function objectOf(body: unknown): Written {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Written;
  throw badParameter('', 'The body should be a JSON object.');
}

/** Null: nothing is said about it. */
function stateOf(state: unknown = null, enabled: unknown = null): AutomationState | null {
  if (state !== null && enabled !== null) throw badParameter('enabled', 'says what `state` says; write one of them');
  if (enabled !== null && typeof enabled !== 'boolean') throw badParameter('enabled', 'must be true or false');
  if (state === null) return enabled === null ? null : enabled ? 'enabled' : 'disabled';
  const known = automation.states.find((each) => each === state);
  if (known === undefined) throw badParameter('state', `must be ${automation.states.map((each) => `\`${each}\``).join(' or ')}`);
  return known;
}

function versionOf(value: unknown): number | null {
  if (value === null || (typeof value === 'number' && Number.isInteger(value))) return value;
  throw badParameter('version', 'must be a whole number');
}
