import { ApiPropertyOptional } from '../../http/documented.js';
import { OneOf } from '../http/fields.js';

const TYPES = ['event', 'cron'] as const;
const DESTINATIONS = ['dispatch_run', 'continue_conversation'] as const;
const CATCH_UP = ['skip', 'one', 'all'] as const;

export class TriggerAuthorsDto {
  @ApiPropertyOptional({ type: [String], default: [], description: 'Ids, logins or roles (`role:MEMBER`); empty: everybody.' })
  allow?: string[];

  @ApiPropertyOptional({ type: Boolean, default: false, description: 'Also bots.' })
  bots?: boolean;

  @ApiPropertyOptional({ type: Boolean, default: false, description: 'Also identities of this server’s own.' })
  self?: boolean;
}

/** What both ways of writing a trigger have. */
class TriggerFields {
  @OneOf(TYPES, 'What kind it is; which other fields it has depends on that.')
  type!: string;

  @ApiPropertyOptional({
    type: String,
    description: 'event: the connection whose events it looks at. One that is not configured yet is stored, and nothing comes from it.',
  })
  source?: string;

  @ApiPropertyOptional({ type: String, description: 'event: JMESPath over the payload; the event is taken unless it yields nothing.' })
  filter?: string | null;

  @ApiPropertyOptional({
    type: String,
    enum: [...DESTINATIONS],
    default: 'dispatch_run',
    description: 'event: whether it starts a run, or goes to the conversation that earlier events about its subject opened.',
  })
  destination?: string;

  @ApiPropertyOptional({ type: String, description: 'event: JMESPath for the key of its subject, instead of the plugin’s.' })
  subject_key_expr?: string | null;

  @ApiPropertyOptional({ type: String, description: 'event: JMESPath for the text of its message, instead of the plugin’s.' })
  turn_text_expr?: string | null;

  @ApiPropertyOptional({ type: Boolean, default: true, description: 'event: whether it wakes the agent.' })
  wake_agent?: boolean;

  @ApiPropertyOptional({ type: TriggerAuthorsDto, description: 'event: who may start it.' })
  authors?: TriggerAuthorsDto;

  @ApiPropertyOptional({ type: 'integer', default: 20, description: 'event: waiting messages that may enter one turn together.' })
  coalesce?: number;

  @ApiPropertyOptional({ type: String, description: 'cron: five fields.' })
  schedule?: string;

  @ApiPropertyOptional({ type: String, default: 'UTC', description: 'cron: IANA name of the zone that is meant.' })
  timezone?: string;

  @ApiPropertyOptional({
    type: String,
    enum: [...CATCH_UP],
    default: 'one',
    description: 'cron: times at which no server ran make no run, one for all of them, or one each.',
  })
  catch_up?: string;
}

export class TriggerDto extends TriggerFields {
  @ApiPropertyOptional({ type: [String], description: 'event: patterns over event keys.' })
  on?: string[];

  @ApiPropertyOptional({ type: Number, nullable: true, description: 'event: seconds of quiet that a turn waits for.' })
  debounce?: number | null;
}

export class TriggerBody extends TriggerFields {
  @ApiPropertyOptional({
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    default: '*',
    description: 'event: patterns over event keys with `*`, `?` and `{a,b}`, one or a list.',
  })
  on?: string | string[];

  @ApiPropertyOptional({
    oneOf: [{ type: 'number' }, { type: 'string' }],
    description: 'event: quiet that a turn waits for, in seconds or as a duration; up to 10m. Default: none.',
  })
  debounce?: number | string | null;
}
