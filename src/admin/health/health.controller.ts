import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Database } from '../../database/database.js';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '../../http/documented.js';
import { HostView } from '../host-view.js';
import { OneOf, Part } from '../http/fields.js';

const PATIENCE_MS = 2_000;
const CHECKS = ['ok', 'failing'];

export class ChecksDto {
  @OneOf(CHECKS, 'Whether the database answers.')
  database!: string;

  @OneOf(CHECKS, 'Whether what an earlier process left behind has been taken care of.')
  recovery!: string;

  @OneOf(['running', 'idle', 'starting', 'stopping', 'superseded'], 'What the worker is doing; idle: this server only accepts.')
  worker!: string;
}

export class ReadinessDto {
  @OneOf(['ready', 'not_ready'], 'Whether work is being done here.')
  status!: string;

  @Part(ChecksDto, 'What it depends on.')
  checks!: ChecksDto;
}

export class LivenessDto {
  @OneOf(['alive'], 'That the process answers.')
  status!: string;
}

@Controller('health')
@ApiTags('health')
export class HealthController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(HostView) private readonly host: HostView,
  ) {}

  @Get('live')
  @ApiOperation({ summary: 'Whether the process answers; open to all' })
  @ApiOkResponse({ type: LivenessDto })
  live(): LivenessDto {
    return { status: 'alive' };
  }

  @Get('ready')
  @ApiOperation({
    summary: 'Whether work is being done here; open to all',
    description: 'Events are accepted before that already, from the moment the schema is right.',
  })
  @ApiOkResponse({ type: ReadinessDto })
  @ApiServiceUnavailableResponse({ type: ReadinessDto, description: 'Not ready, and why.' })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<ReadinessDto> {
    const { recovered, worker } = this.host.readiness();
    const answers = await this.databaseAnswers();
    const isReady = answers && recovered && (worker === 'running' || worker === 'idle');
    if (!isReady) reply.status(503);
    return { status: isReady ? 'ready' : 'not_ready', checks: { database: check(answers), recovery: check(recovered), worker } };
  }

  private async databaseAnswers(): Promise<boolean> {
    const asked = this.database
      .transaction((tx) => tx.all('select 1 as answer'))
      .then(
        () => true,
        () => false,
      );
    const { promise: tooLate, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), PATIENCE_MS);
    try {
      return await Promise.race([asked, tooLate]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function check(isOk: boolean): string {
  return isOk ? 'ok' : 'failing';
}
