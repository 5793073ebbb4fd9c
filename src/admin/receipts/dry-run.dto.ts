import { IsDefined, IsOptional, IsString, Length } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../../http/documented.js';
import { SubjectDto } from '../conversations/conversation.dto.js';
import { Flag, OneOf, OneOfOrNull, PartOrNull, Parts, Storable, Text, TextOrNull, Whole } from '../http/fields.js';

export class DryRunBody {
  @Text('Name of the connection that the event would arrive at.')
  @IsString()
  @Length(1, 64)
  source!: string;

  @ApiPropertyOptional({ type: String, description: 'Kind and action, for example `issues.opened`; left out: as the payload says it.' })
  @IsOptional()
  @IsString()
  @Length(1, 255)
  @Storable()
  event?: string;

  @ApiProperty({ type: Object, description: "The event's payload, as the provider would send it." })
  @IsDefined({ message: 'should be the payload of an event' })
  payload!: unknown;

  @ApiPropertyOptional({
    type: String,
    description: 'Ask this route alone, or the automation `automation:<id>`; left out: every route of the organisation.',
  })
  @IsOptional()
  @IsString()
  @Length(1, 64)
  route?: string;
}

export class DryRunCandidateDto {
  @Text('The route, or `automation:` and the id of an automation.')
  route!: string;

  @Flag('Whether it would take the event.')
  matched!: boolean;

  @TextOrNull('Why not; or, of an event that it would take, why it has no subject.')
  reason!: string | null;

  @TextOrNull('What was compared with what.')
  detail!: string | null;

  @PartOrNull(SubjectDto, 'The subject that the route makes of it.')
  subject!: SubjectDto | null;

  @TextOrNull('The conversation; null: one of its own, with an id that only the event itself would give it.')
  conversation!: string | null;

  @OneOfOrNull(['new', 'open', 'terminal'], 'How that conversation is now.')
  conversation_state!: string | null;

  @TextOrNull('What the agent would be told.')
  text!: string | null;

  @OneOfOrNull(['trusted', 'untrusted'], 'Whether only trusted people could have caused it.')
  trust!: string | null;

  @Flag('Whether it would wake the agent.')
  wake!: boolean;
}

export class DryRunDto {
  @Text('Kind and action.')
  event!: string;

  @OneOf(
    ['prompt', 'lifecycle', 'ignored', 'recorded'],
    'What the plugin makes of it. Only a prompt wakes an agent by a route, and routes take nothing that is ignored or recorded; automations take all.',
  )
  kind!: string;

  @TextOrNull('Why it is ignored or recorded.')
  reason!: string | null;

  @PartOrNull(SubjectDto, 'What it is about.')
  subject!: SubjectDto | null;

  @TextOrNull('A line for people.')
  title!: string | null;

  @TextOrNull('Who caused it.')
  author!: string | null;

  @Whole('How many routes and automations would take it.')
  matched!: number;

  @Parts(DryRunCandidateDto, 'Every route that was asked, in the order of the file, and every automation that listens to the connection.')
  candidates!: DryRunCandidateDto[];
}
