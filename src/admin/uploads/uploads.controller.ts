import { Delete, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Uploads } from '../../automations/uploads/uploads.js';
import { audited } from '../../core/audited.js';
import { deleteUpload, listUploads, readUpload, type UploadRow, userOfUpload } from '../../core/uploads/uploads.js';
import { Database } from '../../database/database.js';
import type { Tx } from '../../database/tx.js';
import { ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiProduces } from '../../http/documented.js';
import { Conflict, NotFound } from '../../plugin/index.js';
import { Needs } from '../access/bearer.guard.js';
import { By, type Caller, mayAct } from '../access/caller.js';
import { badParameter, Forbidden } from '../errors.js';
import { AdminController } from '../http/admin-controller.js';
import { pageOf, sliceOf } from '../http/cursor.js';
import { UploadIdPipe } from '../http/ids.js';
import { instant } from '../http/instant.js';
import { OrgQuery, type Page, PageOf, PageQuery } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { Write } from '../http/write.js';
import { UploadDto, UploadQuery } from './upload.dto.js';

const TARBALL = { schema: { type: 'string', format: 'binary' } };

@AdminController('v1/uploads', 'automations')
export class UploadsController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Uploads) private readonly uploads: Uploads,
  ) {}

  @Post()
  @RouteConfig({ readsOwnBody: true })
  @Write({ action: 'upload.create', summary: 'Send a tarball that automations may start', kept: ['name'], status: 201 })
  @ApiBody({ description: 'The tarball, packed with gzip or not.', schema: TARBALL.schema })
  @ApiCreatedResponse({ type: UploadDto })
  @Refuses(413, 415)
  async create(
    @By() { org, actor }: Caller,
    @Query() { name, description }: UploadQuery,
    @Req() request: FastifyRequest,
  ): Promise<UploadDto> {
    // The first result could be answered to other bytes: what they are is known when they are all here.
    if (request.headers['idempotency-key'] !== undefined)
      throw badParameter('Idempotency-Key', 'is not taken for uploads; send the file again, and delete the one that is too much');
    return toUpload(await this.uploads.receive(request.raw, { org, owner: actor, name, description: description ?? null }));
  }

  @Get()
  @ApiOperation({ summary: 'Uploads of the organisation, newest first' })
  @ApiOkResponse({ type: PageOf(UploadDto) })
  async list(@By() { org }: Caller, @Query() query: PageQuery): Promise<Page<UploadDto>> {
    const slice = sliceOf(query, ['number', 'id']);
    return pageOf(await this.database.transaction((tx) => listUploads(tx, org, slice)), toUpload);
  }

  @Get(':id')
  @ApiOperation({ summary: 'One upload' })
  @ApiOkResponse({ type: UploadDto })
  @Refuses(404)
  async read(@By() { org }: Caller, @Param('id', UploadIdPipe) id: string, @Query() _query: OrgQuery): Promise<UploadDto> {
    return toUpload(await this.database.transaction((tx) => existing(tx, org, id)));
  }

  @Get(':id/content')
  @Needs('operator')
  @ApiOperation({ summary: 'Its bytes', description: 'Needs the role operator.' })
  @ApiProduces('application/octet-stream')
  @ApiOkResponse({ content: { 'application/octet-stream': TARBALL }, description: 'As they were sent.' })
  @Refuses(404, 409)
  async download(
    @By() { org }: Caller,
    @Param('id', UploadIdPipe) id: string,
    @Query() _query: OrgQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const upload = await this.database.transaction((tx) => existing(tx, org, id));
    if (upload.state !== 'completed') throw new Conflict(`Upload ${id} is ${upload.state}.`);
    const content = await this.uploads.read(upload);
    reply.header('content-type', 'application/octet-stream').header('content-length', upload.size);
    await reply.header('content-disposition', `attachment; filename="${id}.tar"`).header('cache-control', 'no-store').send(content);
  }

  @Delete(':id')
  @Write({ action: 'upload.delete', summary: 'Delete one that no automation names. Its owner or an admin may', status: 204 })
  @ApiNoContentResponse({ description: 'It is gone.' })
  @Refuses(404)
  async remove(@By() caller: Caller, @Param('id', UploadIdPipe) id: string, @Query() _query: OrgQuery): Promise<void> {
    const { org, actor, role } = caller;
    await audited(this.database, async (tx) => {
      const { owner } = await existing(tx, org, id);
      if (owner !== actor && !mayAct(role, 'admin'))
        throw new Forbidden(`Upload ${id} belongs to ${owner}; they or an admin may delete it.`);
      const user = await userOfUpload(tx, org, id);
      if (user !== null) throw new Conflict(`Upload ${id} is the tarball of the automation ${user.name} (${user.id}); change that first.`);
      await deleteUpload(tx, org, id);
    });
  }
}

/** Throws `NotFound` for what does not exist, was deleted, or is another organisation's: all three are answered alike. */
async function existing(tx: Tx, org: string, id: string): Promise<UploadRow> {
  const found = await readUpload(tx, org, id);
  if (found === null) throw new NotFound(`There is no upload ${id}.`);
  return found;
}

function toUpload({ id, org, name, description, owner, state, size, sha256, error, created_at }: UploadRow): UploadDto {
  const tarball = state === 'completed' ? `upload://${id}` : null;
  return { id, org, name, description, owner, state, tarball, size, sha256, error, created_at: instant(created_at) };
}
