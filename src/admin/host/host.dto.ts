import { Flag, OneOf, Part, Text, TextOrNull, Texts, Whole } from '../http/fields.js';

export class PluginDto {
  @Text('Its name, as connections give it.')
  name!: string;

  @Whole('The version of the plugin API that it was written for.')
  api_version!: number;

  @Texts('How its events come.')
  transports!: string[];

  @Texts('Kinds of runtime that it brings.')
  runtimes!: string[];
}

export class RouteDto {
  @Text('Its name.')
  name!: string;

  @Text('The organisation.')
  org!: string;

  @Text('The connection whose events it looks at.')
  connection!: string;

  @Text('The workspace that works on them.')
  workspace!: string;

  @Texts('Patterns of event keys.')
  on!: string[];

  @TextOrNull('Expression over the payload.')
  filter!: string | null;

  @OneOf(['subject', 'automation'], 'Whether its conversations are shared with other routes.')
  scope!: string;

  @OneOf(['on_event', 'on_demand'], 'Whether it takes events as they come, or in replays only.')
  activation!: string;

  @Flag('Whether its messages wake the agent.')
  wake!: boolean;
}

export class ReplayedRouteDto {
  @Whole('How many events were decided about; each stays decided, whether it made a delivery or not.')
  admitted!: number;

  @Whole('How many were kept no longer because their words are gone: pruned, or purged.')
  lost!: number;

  @Flag('Whether the route keeps more of them: ask again.')
  has_more!: boolean;
}

export class AutomationCapabilitiesDto {
  @Texts('Kinds of triggers. People start every automation.')
  trigger_types!: string[];

  @Texts('Connections of the organisation whose events may start one.')
  event_sources!: string[];

  @Texts('Runtimes that one may name.')
  runtimes!: string[];

  @Texts('Those of them that run the files of a tarball.')
  sandboxed_runtimes!: string[];

  @Texts('Workspaces of the organisation that one may name instead.')
  workspaces!: string[];

  @Text('The language of `filter`, `subject_key_expr` and `turn_text_expr`.')
  expression_language!: string;

  @Texts('Functions that expressions may call.')
  expression_functions!: string[];

  @Whole('Shortest time between two slots of a schedule, in seconds.')
  min_interval_seconds!: number;

  @Whole('Longest run, in seconds.')
  max_timeout_seconds!: number;
}

export class CapabilitiesDto {
  @Text('Version of this server.')
  version!: string;

  @OneOf(['sqlite', 'postgresql'], 'The database.')
  database!: string;

  @Texts('Organisations that the token may ask about.')
  orgs!: string[];

  @Texts('Kinds of runtime that workspaces may name.')
  runtimes!: string[];

  @Texts('Plugins that connections may name.')
  plugins!: string[];

  @OneOf(['viewer', 'operator', 'admin'], 'Role of the token.')
  role!: string;

  @Flag('Whether an automation could run: there is a runtime, and the server has recovered.')
  ready!: boolean;

  @Part(AutomationCapabilitiesDto, 'What automations may be made of.')
  automations!: AutomationCapabilitiesDto;
}
