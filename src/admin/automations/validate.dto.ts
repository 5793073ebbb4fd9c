import { ApiProperty, ApiPropertyOptional } from '../../http/documented.js';
import { Flag, PartOrNull, Parts, Text } from '../http/fields.js';
import { AutomationBody } from './automation.dto.js';
import { SampleBody, TrialDto } from './dry-run.dto.js';

export class ValidateBody {
  @ApiProperty({
    type: AutomationBody,
    description: 'The automation, or what is to change of one. A body without this field is the automation itself.',
  })
  draft!: AutomationBody;

  @ApiPropertyOptional({ type: String, description: 'The stored automation that the draft would change.' })
  automation_id?: string;

  @ApiPropertyOptional({ type: SampleBody, description: 'An event to try it on.' })
  sample?: SampleBody;
}

export class FaultDto {
  @Text('The field, for example `triggers[0].filter`; empty: the whole.')
  field!: string;

  @Text('What kind of fault; for programs.')
  code!: string;

  @Text('What is wrong, for people.')
  message!: string;
}

export class ValidatedDto {
  @Flag('Whether nothing is wrong.')
  valid!: boolean;

  @Parts(FaultDto, 'Everything that is wrong.')
  errors!: FaultDto[];

  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'Whether the sample would be taken; null: there was none that could be tried.',
  })
  sample_matched!: boolean | null;

  @PartOrNull(TrialDto, 'What would become of the sample.')
  sample!: TrialDto | null;
}
