import { Body, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { ArrayMaxSize, ArrayMinSize, IsBoolean, IsOptional, IsString, Length } from 'class-validator';
import { Admissions } from '../../core/admission/admissions.js';
import { isOfAutomation } from '../../core/automations/automation.js';
import { conflictsOf, decisionsOf, listReceipts, readReceiptView } from '../../core/receipts/list-receipts.js';
import { identityHash } from '../../core/receipts/receipt.js';
import { Database } from '../../database/database.js';
import { ApiOkResponse, ApiOperation, ApiPropertyOptional } from '../../http/documented.js';
import { InvalidInput, NotFound } from '../../plugin/index.js';
import { By, type Caller } from '../access/caller.js';
import { HostView } from '../host-view.js';
import { AdminController } from '../http/admin-controller.js';
import { pageOf, sliceOf } from '../http/cursor.js';
import { NumberIdPipe } from '../http/ids.js';
import { OrgQuery, type Page, PageOf } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { Write } from '../http/write.js';
import { AnswerDto } from './answer.dto.js';
import { ReceiptDetailDto, ReceiptDetailQuery, ReceiptDto, ReceiptQuery } from './receipt.dto.js';
import { toReceipt, toReceiptDetail } from './receipt.view.js';
import { unknownRoutes } from './unknown-routes.js';

export class ReplayBody {
  @ApiPropertyOptional({
    type: [String],
    description: 'Decide by these routes and automations (`automation:<id>`) only; left out: by all.',
  })
  @IsOptional()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @IsString({ each: true })
  @Length(1, 64, { each: true })
  routes?: string[];

  @ApiPropertyOptional({
    type: Boolean,
    default: false,
    description: 'True: conversations that had it get it once more, under a receipt of its own.',
  })
  @IsOptional()
  @IsBoolean()
  force: boolean = false;
}

@AdminController('v1/receipts', 'receipts')
export class ReceiptsController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Admissions) private readonly admissions: Admissions,
    @Inject(HostView) private readonly host: HostView,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Receipts of events and messages, newest first' })
  @ApiOkResponse({ type: PageOf(ReceiptDto) })
  async list(@By() { org }: Caller, @Query() query: ReceiptQuery): Promise<Page<ReceiptDto>> {
    const slice = sliceOf(query, ['number']);
    const filter = { ...query, identities: this.identities(org, query) };
    return pageOf(await this.database.transaction((tx) => listReceipts(tx, org, filter, slice)), toReceipt);
  }

  @Get(':id')
  @ApiOperation({ summary: 'One receipt, with all that was decided about it and its payload' })
  @ApiOkResponse({ type: ReceiptDetailDto })
  @Refuses(404)
  async read(
    @By() { org }: Caller,
    @Param('id', NumberIdPipe) id: number,
    @Query() { payload }: ReceiptDetailQuery,
  ): Promise<ReceiptDetailDto> {
    return this.database.transaction(async (tx) => {
      const receipt = await readReceiptView(tx, org, id);
      if (receipt === null) throw new NotFound(`There is no receipt ${id}.`);
      return toReceiptDetail(receipt, await decisionsOf(tx, id), await conflictsOf(tx, id), payload !== 'false');
    });
  }

  @Post(':id/replay')
  @Write({ action: 'receipt.replay', summary: 'Decide about a stored event again', kept: ['routes', 'force'] })
  @ApiOkResponse({ type: AnswerDto })
  @Refuses(404)
  async replay(
    @By() { org, actor }: Caller,
    @Param('id', NumberIdPipe) id: number,
    @Body() { routes, force }: ReplayBody,
    @Query() _query: OrgQuery,
  ): Promise<AnswerDto> {
    await this.assertKnown(org, routes ?? []);
    return this.admissions.replay({ org, receipt: id, by: actor, routes: routes ?? null, force });
  }

  private identities(org: string, { delivery_id: deliveryId, source }: ReceiptQuery): Buffer[] {
    if (deliveryId === undefined) return [];
    const own = this.host.connections().filter((connection) => connection.org === org && (source ?? connection.name) === connection.name);
    return own.map(({ name, plugin }) => identityHash({ org, provider: plugin, source: name, deliveryId }));
  }

  private async assertKnown(org: string, routes: readonly string[]): Promise<void> {
    const unknown = await unknownRoutes(routes, org, { host: this.host, database: this.database });
    const faults = routes.flatMap((name, i) =>
      unknown.has(name) ? [{ path: `routes[${i}]`, message: `there is no ${isOfAutomation(name) ? 'automation' : 'route'} ${name}` }] : [],
    );
    if (faults.length > 0) throw new InvalidInput('The body names routes that do not exist.', faults);
  }
}
