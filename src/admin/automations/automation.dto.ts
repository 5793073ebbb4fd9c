import { automation, CONCURRENCY, ON_EDIT, ON_SANDBOX_GONE } from '../../core/automations/automation.js';
import { ApiProperty, ApiPropertyOptional } from '../../http/documented.js';
import { Filter, FilterOneOf, Flag, Instant, InstantOrNull, OneOf, OneOfOrNull, Parts, Text, TextOrNull, Whole } from '../http/fields.js';
import { PageQuery } from '../http/page.js';
import { TriggerBody, TriggerDto } from './trigger.dto.js';

const Seconds = (description: string) => ApiProperty({ type: Number, description });

export class AutomationQuery extends PageQuery {
  @FilterOneOf(automation.states, 'Whether their triggers start them.')
  state?: string;

  @FilterOneOf(['config', 'api'], 'Where they were made.')
  origin?: string;

  @Filter('The one of this name.')
  name?: string;
}

/** What an automation is made of, with every default. */
export class AutomationSpecDto {
  @Text('For people; no two of an organisation have the same.')
  name!: string;

  @Parts(TriggerDto, 'What starts it beside people.')
  triggers!: TriggerDto[];

  @TextOrNull('What the agent is told first.')
  prompt!: string | null;

  @TextOrNull('Files that a run begins with: `upload://<id>`, or an `https://` address.')
  tarball_path!: string | null;

  @TextOrNull('The command of those files that is started.')
  entrypoint!: string | null;

  @TextOrNull('The runtime of its agents; null: that of the workspace.')
  runtime!: string | null;

  @TextOrNull('The workspace; null: a folder of its own for each conversation.')
  workspace!: string | null;

  @Seconds('Longest run, in seconds.')
  timeout!: number;

  @Flag('Whether its sandbox outlives the run.')
  keep_alive!: boolean;

  @OneOf(CONCURRENCY, 'What becomes of a further run while one is at work.')
  concurrency!: string;

  @OneOf(ON_SANDBOX_GONE, 'What becomes of messages whose sandbox is gone.')
  on_sandbox_gone!: string;

  @OneOfOrNull(ON_EDIT, 'Whether a change gives later events conversations of their own; null: where their agents are others.')
  on_edit!: string | null;
}

export class AutomationDto extends AutomationSpecDto {
  @Text('Its id.')
  id!: string;

  @Text('The organisation.')
  org!: string;

  @OneOf(['config', 'api'], 'Where it was made; those of the configuration are changed there alone.')
  origin!: string;

  @OneOf(automation.states, 'Whether its triggers start it. A person may start it in every state.')
  state!: string;

  @Flag('True: `state` is `enabled`.')
  enabled!: boolean;

  @Whole('Goes up with every change.')
  version!: number;

  @Whole('Goes up with changes that give later events conversations of their own.')
  generation!: number;

  @Text('Who made it.')
  owner!: string;

  @Whole('Runs in a row that failed for good.')
  failures!: number;

  @TextOrNull(
    'Why it is off: `manual`, `configuration` (`enabled: false`), `not_configured`, or what made its runs fail. Null: it is not off.',
  )
  disabled_reason!: string | null;

  @TextOrNull('What there is to say about that.')
  disabled_detail!: string | null;

  @InstantOrNull('Since when it is off.')
  disabled_at!: string | null;

  @Instant('When it was made.')
  created_at!: string;

  @Instant('When it was last changed.')
  updated_at!: string;
}

export class AutomationVersionDto extends AutomationSpecDto {
  @Whole('The version.')
  version!: number;

  @Whole('The generation of its conversations.')
  generation!: number;

  @Text('Who made it so.')
  made_by!: string;

  @Instant('When.')
  made_at!: string;
}

/** What may be written of an automation; `readSpec` checks it, for the configuration and the API alike. */
export class AutomationPatchBody {
  @ApiPropertyOptional({ type: String, maxLength: 500, description: 'For people; no two of an organisation have the same.' })
  name?: string;

  @ApiPropertyOptional({ type: [TriggerBody], description: 'What starts it; an empty list where only people do.' })
  triggers?: TriggerBody[];

  @ApiPropertyOptional({ type: String, description: 'What the agent is told first, before the event; or `tarball_path` and `entrypoint`.' })
  prompt?: string | null;

  @ApiPropertyOptional({ type: String, description: 'Files that a run begins with: `upload://<id>`, or an `https://` address.' })
  tarball_path?: string | null;

  @ApiPropertyOptional({ type: String, description: 'The command of those files that is started, without a shell.' })
  entrypoint?: string | null;

  @ApiPropertyOptional({
    type: String,
    description: 'The runtime of its agents. Default, without `workspace`: the only one that there is.',
  })
  runtime?: string | null;

  @ApiPropertyOptional({ type: String, description: 'The workspace whose agents work for it, instead of `runtime`.' })
  workspace?: string | null;

  @ApiPropertyOptional({
    oneOf: [{ type: 'number' }, { type: 'string' }],
    default: 600,
    description: 'Longest run: a number of seconds, or a duration such as `90s` or `10m`; 1s to 30m.',
  })
  timeout?: number | string;

  @ApiPropertyOptional({ type: Boolean, description: 'Whether its sandbox outlives the run; with `continue_conversation` it always does.' })
  keep_alive?: boolean | null;

  @ApiPropertyOptional({ type: String, enum: [...CONCURRENCY], default: 'allow', description: 'A further run while one is at work.' })
  concurrency?: string;

  @ApiPropertyOptional({ type: String, enum: [...ON_SANDBOX_GONE], default: 'restart', description: 'Messages whose sandbox is gone.' })
  on_sandbox_gone?: string;

  @ApiPropertyOptional({
    type: String,
    enum: [...ON_EDIT],
    description: 'Whether a change gives later events conversations of their own. Default: where their agents are others.',
  })
  on_edit?: string | null;
}

export class AutomationBody extends AutomationPatchBody {
  @ApiPropertyOptional({ type: String, enum: [...automation.states], default: 'enabled', description: 'What it begins as.' })
  state?: string;

  @ApiPropertyOptional({ type: Boolean, description: 'Instead of `state`: false is `disabled`.' })
  enabled?: boolean;
}

export class AutomationChangeBody extends AutomationPatchBody {
  @ApiPropertyOptional({ type: 'integer', description: 'The version that the change is meant for; another one is refused with 409.' })
  version?: number;

  @ApiPropertyOptional({ type: String, enum: [...automation.states], description: 'What it is to be afterwards.' })
  state?: string;

  @ApiPropertyOptional({ type: Boolean, description: 'Instead of `state`: true is `enabled`, false `disabled`.' })
  enabled?: boolean;
}
