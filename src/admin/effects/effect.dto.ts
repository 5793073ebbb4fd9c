import { Type } from 'class-transformer';
import { Equals, IsOptional, IsString, Length, ValidateBy, ValidateNested } from 'class-validator';
import { effect } from '../../core/effects/effect.js';
import { ApiProperty, ApiPropertyOptional } from '../../http/documented.js';
import {
  FilterOneOf,
  Instant,
  InstantOrNull,
  OneOf,
  Part,
  PartOrNull,
  Parts,
  Storable,
  Text,
  TextOrNull,
  Texts,
  Whole,
} from '../http/fields.js';
import { PageQuery } from '../http/page.js';

export class EffectQuery extends PageQuery {
  @FilterOneOf([...effect.states, 'all'], 'How far they are. Default: those whose outcome is unknown.')
  status: string = 'outcome_unknown';
}

export class EffectSubjectDto {
  @Text('Provider, tenant and kind.')
  @IsString()
  @Length(1, 500)
  @Storable()
  namespace!: string;

  @Text('The id within it.')
  @IsString()
  @Length(1, 500)
  @Storable()
  key!: string;
}

export class EffectScopeDto {
  @Text('The tenant at the provider.')
  account!: string;

  @Text('What is written.')
  kind!: string;

  @Text('What is done to it.')
  action!: string;
}

const EVIDENCE = {
  type: 'object',
  additionalProperties: { type: 'string' },
} as const;

export class EffectDto {
  @Text('The effect.')
  id!: string;

  @Text('The plugin.')
  provider!: string;

  @Text('The connection by which it was written.')
  source!: string;

  @Text('The tool that wrote it.')
  tool!: string;

  @Part(EffectScopeDto, 'What it is about; its callbacks name the same.')
  scope!: EffectScopeDto;

  @PartOrNull(EffectSubjectDto, 'What was written to; null: only the answer tells.')
  subject!: EffectSubjectDto | null;

  @Text('The conversation on whose behalf it was written.')
  conversation!: string;

  @OneOf(effect.states, 'How far it is.')
  status!: string;

  @TextOrNull('Why it failed.')
  reason!: string | null;

  @TextOrNull('The id of ours that the write carried, where the provider takes one.')
  marker!: string | null;

  @Text('Keyed hash of what was asked for.')
  request!: string;

  @ApiProperty({ ...EVIDENCE, nullable: true, description: 'Ids that only this write can have left; null: not known.' })
  evidence!: Readonly<Record<string, string>> | null;

  @Whole('Deliveries that wait for it.')
  held_deliveries!: number;

  @Instant('When it was recorded.')
  created_at!: string;

  @InstantOrNull('When the provider was asked.')
  attempted_at!: string | null;

  @InstantOrNull('When its end was known.')
  resolved_at!: string | null;

  @TextOrNull('Who found it out.')
  resolved_by!: string | null;

  @TextOrNull('How that was known.')
  resolved_why!: string | null;

  @Whole('How often the provider was asked what became of it.')
  reads!: number;

  @InstantOrNull('When it is asked next.')
  next_read_at!: string | null;
}

export class HeldDeliveryDto {
  @Text('The delivery.')
  delivery!: string;

  @Text('Its conversation.')
  conversation!: string;

  @OneOf(['held', 'pending', 'completed'], 'How far it is; one that is no longer held was ended otherwise.')
  state!: string;

  @Whole('How many deliveries wait behind it.')
  behind!: number;
}

export class EffectCandidateDto {
  @Text('The receipt of the event.')
  receipt!: string;

  @Text('The connection where it arrived.')
  source!: string;

  @Text("The provider's id of it.")
  delivery_id!: string;

  @Text('Kind and action of the event.')
  event_key!: string;

  @Instant('Since when it waits.')
  held_at!: string;

  @ApiProperty({ ...EVIDENCE, nullable: true, description: 'What it would prove, if this effect caused it.' })
  evidence!: Readonly<Record<string, string>> | null;

  @Parts(HeldDeliveryDto, 'Its deliveries.')
  deliveries!: HeldDeliveryDto[];
}

export class EffectDetailDto extends EffectDto {
  @Parts(EffectCandidateDto, 'Events that it may have caused, the first that came first; 200 deliveries of them at most.')
  candidates!: EffectCandidateDto[];

  @Texts('Conversations in which something waits for it.')
  blocked_conversations!: string[];
}

export class AbsentBody {
  @ApiProperty({ type: Boolean, enum: [true], description: 'True: you have made sure at the provider that the write did not happen.' })
  @Equals(true, { message: 'should be true' })
  verified_absent!: true;
}

const MOST_IDS = 20;
const LONGEST_ID = 500;

const IsEvidence = () =>
  ValidateBy({
    name: 'evidence',
    validator: {
      validate: (value: unknown) => {
        if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
        const ids: unknown[] = Object.values(value);
        const isId = (id: unknown) => typeof id === 'string' && id !== '' && id.length <= LONGEST_ID;
        return ids.length > 0 && ids.length <= MOST_IDS && ids.every(isId);
      },
      defaultMessage: () => `should be an object of 1 to ${MOST_IDS} ids, each a text of 1 to ${LONGEST_ID} characters`,
    },
  });

export class PresentBody {
  @ApiProperty({ ...EVIDENCE, description: 'The ids that the write left, by the names that `evidence` of its candidates has.' })
  @IsEvidence()
  evidence!: Record<string, string>;

  @ApiPropertyOptional({ type: EffectSubjectDto, description: 'What was written to, where the effect does not say.' })
  @IsOptional()
  @ValidateNested()
  @Type(() => EffectSubjectDto)
  subject?: EffectSubjectDto;
}

export class ReconciledDto {
  @OneOf(effect.states, 'How far the effect is now.')
  status!: string;

  @Whole('Deliveries that now wait for their turn.')
  released_deliveries!: number;

  @Whole('Deliveries that were its own callbacks, and make no turn.')
  suppressed_deliveries!: number;
}
