import { Transform } from 'class-transformer';
import { Allow, IsIn, IsNumber, IsObject, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { run } from '../../core/runs/run.js';
import { ApiProperty, ApiPropertyOptional } from '../../http/documented.js';
import {
  Filter,
  FilterOneOf,
  Flag,
  Instant,
  InstantOrNull,
  OneOf,
  Parts,
  Since,
  Storable,
  Text,
  TextOrNull,
  Whole,
} from '../http/fields.js';
import { PageQuery } from '../http/page.js';

const CAUSES = ['event', 'cron', 'api', 'restart'] as const;

export class RunQuery extends PageQuery {
  @Filter('The automation, by its id.')
  automation?: string;

  @FilterOneOf(run.states, 'How far they are.')
  state?: string;

  @FilterOneOf(CAUSES, 'What began them.')
  cause?: string;

  @Filter('The conversation that they open.')
  conversation?: string;

  @Filter('What they are about, as a run has it: `<source>/<key>`.')
  subject?: string;

  @Since('Made then or later; ISO 8601, or epoch milliseconds.')
  since?: number;
}

export class RunDto {
  @Text('Its id.')
  id!: string;

  @Text('The automation that it is one start of.')
  automation_id!: string;

  @Whole('The version of it that it began with.')
  version!: number;

  @Whole('And its generation.')
  generation!: number;

  @OneOf(run.states, 'How far it is.')
  state!: string;

  @TextOrNull('The step that it is at, in words.')
  phase!: string | null;

  @OneOf(CAUSES, 'What began it.')
  cause!: string;

  @Text('The conversation that it opens.')
  conversation_id!: string;

  @TextOrNull('The message that it begins with.')
  delivery!: string | null;

  @TextOrNull('What it is about, `<source>/<key>`; null: nothing that another one could be about.')
  subject!: string | null;

  @TextOrNull('Why it has no subject.')
  no_subject!: string | null;

  @TextOrNull('The receipt that began it.')
  receipt!: string | null;

  @InstantOrNull('The instant of the schedule that it stands for.')
  slot!: string | null;

  @Whole('How often its start has failed and was tried again.')
  attempt!: number;

  @TextOrNull('Its sandbox; null: it has none.')
  sandbox!: string | null;

  @ApiProperty({ type: Number, nullable: true, description: 'What it has cost, in US dollars; null: nobody knows.' })
  cost_usd!: number | null;

  @TextOrNull('Why it did not succeed: a word for programs.')
  error!: string | null;

  @TextOrNull('The same in words for people.')
  detail!: string | null;

  @Flag('It ran out of time.')
  timed_out!: boolean;

  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, description: 'What its entrypoint reported beside its end.' })
  metadata!: unknown;

  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, description: 'What it was given.' })
  inputs!: unknown;

  @Instant('When it was made.')
  created_at!: string;

  @InstantOrNull('When a replica took it.')
  started_at!: string | null;

  @InstantOrNull('When its conversation was open.')
  opened_at!: string | null;

  @InstantOrNull('Until when it may take.')
  deadline_at!: string | null;

  @InstantOrNull('When it ended.')
  ended_at!: string | null;

  @InstantOrNull('Since when another run may be about its subject.')
  subject_released_at!: string | null;
}

export class PhaseDto {
  @Text('The step, in words.')
  phase!: string;

  @Instant('When it began.')
  at!: string;
}

export class RunDetailDto extends RunDto {
  @Parts(PhaseDto, 'The steps that it has gone through, oldest first.')
  phases!: PhaseDto[];
}

export class LogQuery extends PageQuery {
  @FilterOneOf(['phase', 'stdout', 'stderr', 'note'], 'What it is.')
  kind?: string;
}

export class LogDto {
  @Whole('Its place in the log.')
  number!: number;

  @Instant('When it was written.')
  at!: string;

  @OneOf(['phase', 'stdout', 'stderr', 'note'], 'A step, the end of what the entrypoint printed, or what the host has to say.')
  kind!: string;

  @Text('The text.')
  body!: string;
}

export class CompleteBody {
  @ApiProperty({ type: String, enum: ['completed', 'failed'], description: 'How it ended; upper case is taken, too.' })
  @Transform(({ value }) => (typeof value === 'string' ? value.toLowerCase() : value))
  @IsIn(['completed', 'failed'])
  status!: 'completed' | 'failed';

  @ApiPropertyOptional({ type: String, description: 'The run, as scripts of other services say it.' })
  @IsOptional()
  @IsString()
  @Length(1, 100)
  run_id?: string;

  @ApiPropertyOptional({ type: String, description: 'The conversation that it opened.' })
  @IsOptional()
  @IsString()
  @Length(1, 255)
  conversation_id?: string;

  @ApiPropertyOptional({ type: Number, minimum: 0, description: 'What it has cost, in US dollars.' })
  @IsOptional()
  @IsNumber({ allowNaN: false, allowInfinity: false })
  @Min(0)
  @Max(1_000_000)
  cost?: number;

  @ApiPropertyOptional({ description: 'Why it failed: text, or an object with `code`, `detail` and `classification`.' })
  @IsOptional()
  @Allow()
  error?: unknown;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, description: 'Whatever is to be read with the run.' })
  @IsOptional()
  @IsObject()
  metadata?: Record<string, unknown>;
}

const LONGEST_PHASE = 200;
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;

export class PhaseBody {
  @ApiProperty({ type: String, minLength: 1, maxLength: LONGEST_PHASE, description: 'The step, in words; line ends become spaces.' })
  @Transform(({ value }) => (typeof value === 'string' ? value.replace(CONTROL, ' ').trim() : value))
  @IsString()
  @Length(1, LONGEST_PHASE)
  @Storable()
  phase!: string;
}

export class ReportedDto {
  @Text('The run.')
  id!: string;

  @OneOf(run.states, 'How far it is now.')
  state!: string;

  @TextOrNull('The step that it is at.')
  phase!: string | null;
}
