import { NotBuilt, Section } from './nested.js';
import { Decimal, Duration, Flag, Name, Text, TextList, Whole } from './values.js';

const MOST_USD = 1_000_000;

/** `workspaces.<name>.limits:` - what turns may cost, in US dollars, as their agents say it. */
export class LimitsSection {
  @Decimal({ about: 'One turn; what costs more is stopped. Default: no limit.', min: 0, max: MOST_USD })
  readonly usdPerTurn?: number;

  @Decimal({ about: 'One conversation, since its last reset or since a person resumed it. Default: no limit.', min: 0, max: MOST_USD })
  readonly usdPerConversation?: number;
}

/** `workspaces.<name>.budget:` - what all turns of the workspace together may cost. */
export class BudgetSection {
  @Decimal({ about: 'US dollars in a day. What is over waits for the next day. Default: no limit.', min: 0, max: MOST_USD })
  readonly usdPerDay?: number;

  @Text({ about: 'IANA name of the zone whose days are meant.' })
  readonly timezone: string = 'UTC';
}

/** `workspaces.<name>.loop:` - when a conversation of machines among themselves is put aside for a person. */
export class LoopSection {
  @Whole({ about: 'So many turns that machines alone caused, without a person between.', min: 1, max: 100 })
  readonly turns: number = 10;

  @Duration({ about: 'Within so long.' })
  readonly window: string = '10m';
}

/** `workspaces.<name>.control:` - where people watch the conversations of the workspace, and answer them. */
export class ControlSection {
  @Name({ about: 'The connection whose channel has the threads; its plugin must have one.', required: true })
  readonly connection: string = '';

  @Text({
    about: "What the threads hang under, as the channel names it: a channel's id, for example, or `owner/name` of a repository.",
    required: true,
  })
  readonly parent: string = '';
}

/** `workspaces.<name>.capabilities:` - which tools write, which ask first, and which do not write at all. `deny` comes before `approve`, and that before `allow`. */
export class CapabilitiesSection {
  @TextList({ about: 'Patterns of tools that write nothing.' })
  readonly deny: readonly string[] = [];

  @TextList({ about: 'Patterns of tools about which a person decides each time.' })
  readonly approve: readonly string[] = [];

  @TextList({ about: 'Patterns of tools that write as the route says. What none of the three names is denied.' })
  readonly allow: readonly string[] = ['*'];
}

/** `workspaces.<name>:` - where turns work, and on which runtime. */
export class WorkspaceSection {
  @Name({ about: 'The runtime that runs its turns.', required: true })
  readonly runtime: string = '';

  @Name({ about: 'The org that it belongs to.' })
  readonly org: string = 'default';

  @Name({ about: 'The workspace that this one is like, and may only take away from. What this one does not say is as there.' })
  readonly parent?: string;

  @Text({ about: 'What every agent of the workspace is told first.' })
  readonly instructions?: string;

  @Text({
    about:
      'Folder that turns work in, relative to this file; made when it is missing. Default: a folder per conversation in the data folder.',
  })
  readonly directory?: string;

  @TextList(
    { about: 'Names of environment variables of this server that agents get too.' },
    { each: { matches: '^[A-Za-z_][A-Za-z0-9_]*$', rule: 'must be the name of an environment variable' } },
  )
  readonly env: readonly string[] = [];

  @Whole({ about: 'Turns at once in this workspace. Default: `workers.perWorkspace`.', min: 1, max: 10_000 })
  readonly concurrency?: number;

  @Section(() => LimitsSection, { about: 'What turns may cost.' })
  readonly limits: LimitsSection = new LimitsSection();

  @Section(() => BudgetSection, { about: 'What all turns of a day may cost.' })
  readonly budget: BudgetSection = new BudgetSection();

  @Section(() => LoopSection, { about: 'When machines that answer each other are stopped.' }, true)
  readonly loop: LoopSection | 'off' = new LoopSection();

  @Section(() => ControlSection, { about: 'Where people watch its conversations. Default: nowhere.' })
  readonly control?: ControlSection;

  @TextList({ about: 'Patterns over `<tool>` and `<plugin>.<tool>`: only these tools exist for its agents.' })
  readonly tools: readonly string[] = ['*'];

  @Section(() => CapabilitiesSection, { about: 'What its agents may do with their tools.' })
  readonly capabilities: CapabilitiesSection = new CapabilitiesSection();

  @TextList({
    about:
      'Ids, logins or roles (`role:MEMBER`) of who may decide about approvals in a thread. Default: whoever `authors` of the route lets in.',
  })
  readonly approvers: readonly string[] = [];

  @Text(
    {
      about:
        'Git repository, as a path relative to this file or an address; each conversation has a working tree of it, on a branch of its own.',
    },
    { matches: '^[^-]', rule: 'must be a path or an address' },
  )
  readonly repository?: string;

  @Flag({ about: 'Each conversation has a folder of its own in `directory`, and several turns work there at once.' })
  readonly isolate: boolean = false;

  @NotBuilt()
  readonly mcp?: unknown;
}
