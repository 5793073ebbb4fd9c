import { Body, Get, Inject, Param, Post, Query } from '@nestjs/common';
import type { EffectState } from '../../core/effects/effect.js';
import { EffectLedger } from '../../core/effects/effect-ledger.js';
import { listEffects, readEffect, waitingFor } from '../../core/effects/list-effects.js';
import { Database } from '../../database/database.js';
import { ApiOkResponse, ApiOperation } from '../../http/documented.js';
import { NotFound } from '../../plugin/index.js';
import { By, type Caller } from '../access/caller.js';
import { AdminController } from '../http/admin-controller.js';
import { pageOf, sliceOf } from '../http/cursor.js';
import { EffectIdPipe } from '../http/ids.js';
import { OrgQuery, type Page, PageOf } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { Write } from '../http/write.js';
import { AbsentBody, EffectDetailDto, EffectDto, EffectQuery, PresentBody, ReconciledDto } from './effect.dto.js';
import { toEffect, toEffectDetail, toReconciled } from './effect.view.js';

@AdminController('webhook-effects', 'effects')
export class EffectsController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(EffectLedger) private readonly ledger: EffectLedger,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Writes of ours at providers, newest first; those of unknown outcome where nothing else is asked for' })
  @ApiOkResponse({ type: PageOf(EffectDto) })
  async list(@By() { org }: Caller, @Query() query: EffectQuery): Promise<Page<EffectDto>> {
    const slice = sliceOf(query, ['number', 'id']);
    const state = query.status === 'all' ? undefined : (query.status as EffectState);
    return pageOf(await this.database.transaction((tx) => listEffects(tx, org, state, slice)), toEffect);
  }

  @Get(':id')
  @ApiOperation({ summary: 'One write, with the events that it may have caused and what they block' })
  @ApiOkResponse({ type: EffectDetailDto })
  @Refuses(404)
  async read(@By() { org }: Caller, @Param('id', EffectIdPipe) id: string, @Query() _query: OrgQuery): Promise<EffectDetailDto> {
    return this.database.transaction(async (tx) => {
      const effect = await readEffect(tx, org, id);
      if (effect === null) throw new NotFound(`There is no effect ${id}.`);
      return toEffectDetail(effect, await waitingFor(tx, id));
    });
  }

  @Post(':id/reconcile-absent')
  @Write({
    action: 'effect.reconcile_absent',
    summary: 'Say that a write of unknown outcome did not happen; what it held waits for its turn',
    kept: ['verified_absent'],
  })
  @ApiOkResponse({ type: ReconciledDto })
  @Refuses(404)
  async reconcileAbsent(
    @By() { org, actor }: Caller,
    @Param('id', EffectIdPipe) id: string,
    @Body() _body: AbsentBody,
    @Query() _query: OrgQuery,
  ): Promise<ReconciledDto> {
    return toReconciled(await this.ledger.reconcileAbsent(org, id, actor));
  }

  @Post(':id/reconcile-present')
  @Write({
    action: 'effect.reconcile_present',
    summary: 'Say what a write of unknown outcome left; its callbacks make no turn, what it did not cause waits for its turn',
    kept: ['evidence'],
  })
  @ApiOkResponse({ type: ReconciledDto })
  @Refuses(404)
  async reconcilePresent(
    @By() { org, actor }: Caller,
    @Param('id', EffectIdPipe) id: string,
    @Body() { evidence: ids, subject }: PresentBody,
    @Query() _query: OrgQuery,
  ): Promise<ReconciledDto> {
    const { namespace, key } = subject ?? {};
    const of = namespace !== undefined && key !== undefined ? { subject: { namespace, key } } : {};
    return toReconciled(await this.ledger.reconcilePresent(org, id, { ids: { ...ids }, ...of }, actor));
  }
}
