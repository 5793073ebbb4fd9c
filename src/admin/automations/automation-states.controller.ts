import { Body, Inject, Param, Post, Query } from '@nestjs/common';
import { IsOptional, IsString, Length } from 'class-validator';
import { AutomationDesk } from '../../core/automations/automation-desk.js';
import { ApiOkResponse, ApiPropertyOptional } from '../../http/documented.js';
import { By, type Caller } from '../access/caller.js';
import { AdminController } from '../http/admin-controller.js';
import { Storable } from '../http/fields.js';
import { AutomationIdPipe } from '../http/ids.js';
import { OrgQuery } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { Write } from '../http/write.js';
import { AutomationDto } from './automation.dto.js';
import { toAutomation } from './automation.view.js';
import { ownerOrAdmin } from './owner-or-admin.js';

const LONGEST_REASON = 500;

export class DisableBody {
  @ApiPropertyOptional({ type: String, description: 'Why, for those who look at it later.' })
  @IsOptional()
  @IsString()
  @Length(1, LONGEST_REASON)
  @Storable()
  reason?: string;
}

/** Whether triggers start it: also for automations of the configuration, whose content is changed there alone. */
@AdminController('v1/automations/:id', 'automations')
@Refuses(404)
export class AutomationStatesController {
  constructor(@Inject(AutomationDesk) private readonly desk: AutomationDesk) {}

  @Post('enable')
  @Write({ action: 'automation.enable', summary: 'Let its triggers start it. Its owner or an admin may' })
  @ApiOkResponse({ type: AutomationDto })
  async enable(@By() caller: Caller, @Param('id', AutomationIdPipe) id: string, @Query() _query: OrgQuery): Promise<AutomationDto> {
    return toAutomation(await this.desk.turn({ org: caller.org, id, by: caller.actor, mayChange: ownerOrAdmin(caller) }, 'enabled'));
  }

  @Post('disable')
  @Write({ action: 'automation.disable', summary: 'Let its triggers start nothing. Every operator may', kept: ['reason'] })
  @ApiOkResponse({ type: AutomationDto })
  async disable(
    @By() { org, actor }: Caller,
    @Param('id', AutomationIdPipe) id: string,
    @Body() { reason }: DisableBody,
    @Query() _query: OrgQuery,
  ): Promise<AutomationDto> {
    // What does harm is switched off by whoever sees it.
    return toAutomation(await this.desk.turn({ org, id, by: actor, mayChange: () => undefined }, 'disabled', reason ?? null));
  }

  @Post('draft')
  @Write({ action: 'automation.draft', summary: 'Put it back to being written. Its owner or an admin may' })
  @ApiOkResponse({ type: AutomationDto })
  async draft(@By() caller: Caller, @Param('id', AutomationIdPipe) id: string, @Query() _query: OrgQuery): Promise<AutomationDto> {
    return toAutomation(await this.desk.turn({ org: caller.org, id, by: caller.actor, mayChange: ownerOrAdmin(caller) }, 'draft'));
  }
}
