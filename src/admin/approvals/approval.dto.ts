import { IsOptional, IsString, Length } from 'class-validator';
import { approval } from '../../core/approvals/approval.js';
import { ApiProperty, ApiPropertyOptional } from '../../http/documented.js';
import { Filter, FilterOneOf, Instant, InstantOrNull, OneOf, PartOrNull, Storable, Text, TextOrNull } from '../http/fields.js';
import { PageQuery } from '../http/page.js';

export class ApprovalQuery extends PageQuery {
  @FilterOneOf(approval.states, 'How far they are.')
  state?: string;

  @Filter('The conversation whose agent asked.')
  conversation?: string;
}

export class ApprovalScopeDto {
  @Text('The tenant at the provider.')
  account!: string;

  @Text('What would be written.')
  kind!: string;

  @Text('What would be done to it.')
  action!: string;

  @ApiProperty({
    type: 'object',
    properties: { namespace: { type: 'string' }, key: { type: 'string' } },
    nullable: true,
    description: 'What would be written to; null: what is yet to be made.',
  })
  subject!: { readonly namespace: string; readonly key: string } | null;
}

export class AskedInDto {
  @Text('The connection of its channel.')
  connection!: string;

  @Text('The thread, by its id there.')
  thread!: string;
}

export class ApprovalDto {
  @Text('The approval; nobody guesses it.')
  id!: string;

  @OneOf(['write', 'permission'], 'A write at a provider, or what an agent asked for while its turn ran.')
  kind!: string;

  @Text('The conversation whose agent asked.')
  conversation!: string;

  @TextOrNull('The turn that asked.')
  turn!: string | null;

  @TextOrNull('The route of the conversation.')
  route!: string | null;

  @TextOrNull('The connection that it would be written by.')
  connection!: string | null;

  @TextOrNull('The plugin.')
  provider!: string | null;

  @TextOrNull('The tool that would write it.')
  tool!: string | null;

  @PartOrNull(ApprovalScopeDto, 'What would be written to, as the tool says it.')
  destination!: ApprovalScopeDto | null;

  @Text('A line for people.')
  title!: string;

  @Text('Exactly what would be done.')
  body!: string;

  @Text('SHA-256 of it, in hexadecimal digits.')
  body_sha256!: string;

  @PartOrNull(AskedInDto, 'The thread in which people are asked, and alone of all threads may decide; null: none yet.')
  asked_in!: AskedInDto | null;

  @OneOf(approval.states, 'How far it is.')
  state!: string;

  @TextOrNull('Why it failed, or is void.')
  reason!: string | null;

  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, description: 'The ids that the write left.' })
  result!: unknown;

  @TextOrNull('The effect that wrote it.')
  effect!: string | null;

  @Instant('When it was asked for.')
  created_at!: string;

  @Instant('Until when it can be decided.')
  expires_at!: string;

  @InstantOrNull('Until when a turn waits for it; null: none does.')
  waits_until!: string | null;

  @InstantOrNull('When it was decided.')
  decided_at!: string | null;

  @TextOrNull('Who decided.')
  decided_by!: string | null;

  @TextOrNull('Why, in their words.')
  decided_why!: string | null;

  @InstantOrNull('When it was over.')
  ended_at!: string | null;
}

const LONGEST_REASON = 500;

export class DecisionBody {
  @ApiPropertyOptional({ type: String, description: 'Why; the agent is told.' })
  @IsOptional()
  @IsString()
  @Length(1, LONGEST_REASON)
  @Storable()
  reason?: string;
}
