import { Body, Controller, HttpCode, Inject, Param, Post, UseGuards, UsePipes } from '@nestjs/common';
import { RunReports } from '../../core/runs/run-reports.js';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '../../http/documented.js';
import { badParameter } from '../errors.js';
import { Refuses } from '../http/refuses.js';
import { RequestPipe } from '../http/request.pipe.js';
import { CompleteBody, PhaseBody, ReportedDto } from './run.dto.js';
import { toReported } from './run.view.js';
import { RunTokenGuard } from './run-token.guard.js';

const LONGEST_METADATA = 64 * 1024;

/** What the entrypoint of a run tells, with the token that it was given. */
@Controller('v1/runs/:id')
@UseGuards(RunTokenGuard)
@UsePipes(RequestPipe)
@ApiTags('runs')
@ApiBearerAuth()
@Refuses(400, 401, 403, 404, 409, 503)
export class RunReportsController {
  constructor(@Inject(RunReports) private readonly reports: RunReports) {}

  @Post('complete')
  @HttpCode(200)
  @ApiOperation({ summary: "A run's entrypoint says how it ended", description: "Needs the run's own token." })
  @ApiOkResponse({ type: ReportedDto })
  async complete(@Param('id') id: string, @Body() body: CompleteBody): Promise<ReportedDto> {
    const { status, cost = null, error = null, metadata } = body;
    const kept = metadata === undefined ? null : JSON.stringify(metadata);
    if (kept !== null && kept.length > LONGEST_METADATA)
      throw badParameter('metadata', `must be no longer than ${LONGEST_METADATA} characters of JSON`);
    return toReported(await this.reports.complete(id, { status, costUsd: cost, error, metadata: kept }));
  }

  @Post('phase')
  @HttpCode(200)
  @ApiOperation({ summary: "A run's entrypoint says what it is at", description: "Needs the run's own token." })
  @ApiOkResponse({ type: ReportedDto })
  async phase(@Param('id') id: string, @Body() { phase }: PhaseBody): Promise<ReportedDto> {
    return toReported(await this.reports.phase(id, phase));
  }
}
