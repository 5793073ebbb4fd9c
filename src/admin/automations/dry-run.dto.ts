import { Type } from 'class-transformer';
import { IsDefined, IsInt, IsOptional, IsString, Length, Max, Min, ValidateNested } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../../http/documented.js';
import { SubjectDto } from '../conversations/conversation.dto.js';
import { Flag, InstantOrNull, PartOrNull, Parts, Storable, Text, TextOrNull, Whole, WholeOrNull } from '../http/fields.js';

export const MOST_EVENTS = 100;
const DEFAULT_EVENTS = 20;

export class SampleBody {
  @ApiPropertyOptional({ type: String, description: 'The connection that it would arrive at. Default: that of the first event trigger.' })
  @IsOptional()
  @IsString()
  @Length(1, 64)
  source?: string;

  @ApiPropertyOptional({ type: String, description: 'Kind and action, for example `issues.opened`; left out: as the payload says it.' })
  @IsOptional()
  @IsString()
  @Length(1, 255)
  @Storable()
  event?: string;

  @ApiProperty({ type: Object, description: "The event's payload, as the provider would send it." })
  @IsDefined({ message: 'should be the payload of an event' })
  payload!: unknown;
}

export class AutomationDryRunBody {
  @ApiPropertyOptional({ type: SampleBody, description: 'An event to try. Left out: the last ones that came.' })
  @IsOptional()
  @ValidateNested()
  @Type(() => SampleBody)
  sample?: SampleBody;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MOST_EVENTS, default: DEFAULT_EVENTS, description: 'How many of those.' })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MOST_EVENTS)
  last: number = DEFAULT_EVENTS;
}

export class TrialDto {
  @TextOrNull('The receipt; null: the sample.')
  receipt!: string | null;

  @Text('Where it arrived.')
  source!: string;

  @Text('Kind and action.')
  event!: string;

  @InstantOrNull('When it arrived.')
  received_at!: string | null;

  @Flag('Whether it would be taken.')
  matched!: boolean;

  @WholeOrNull('The trigger that takes it, or came nearest, counted from 0.')
  trigger!: number | null;

  @TextOrNull('Why not; or, of an event that would be taken, why it has no subject.')
  reason!: string | null;

  @TextOrNull('What was compared with what.')
  detail!: string | null;

  @PartOrNull(SubjectDto, 'What it is about.')
  subject!: SubjectDto | null;

  @TextOrNull('The conversation; null: one of its own.')
  conversation!: string | null;

  @TextOrNull('What the agent would be told.')
  text!: string | null;
}

export class AutomationDryRunDto {
  @Whole('How many would be taken.')
  matched!: number;

  @Parts(TrialDto, 'Each event, the newest first.')
  events!: TrialDto[];
}
