import { Controller, Get, Inject, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '../../http/documented.js';
import { Refuses } from '../http/refuses.js';
import { LoadReader } from './load-reader.js';
import { MetricsGuard } from './metrics.guard.js';
import { Metrics } from './metrics.js';

@Controller('metrics')
@UseGuards(MetricsGuard)
@ApiTags('health')
@ApiBearerAuth()
export class MetricsController {
  constructor(
    @Inject(LoadReader) private readonly load: LoadReader,
    @Inject(Metrics) private readonly metrics: Metrics,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Metrics for Prometheus; open on this machine, else for viewers' })
  @ApiProduces('text/plain')
  @ApiOkResponse({ content: { 'text/plain': { schema: { type: 'string' } } }, description: 'The metrics.' })
  @Refuses(401, 403)
  async read(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    await this.load.refresh();
    reply.header('content-type', this.metrics.registry.contentType);
    return this.metrics.registry.metrics();
  }
}
