import { CONCURRENCY, ON_EDIT, ON_SANDBOX_GONE } from '../../core/automations/automation.js';
import { List, Section } from './nested.js';
import { AuthorsSection } from './route.js';
import { Duration, Flag, Name, OneOf, Text, TextList, Whole } from './values.js';

const SAME = 'The same as';

/** `automations.<name>.triggers[]` - an event or a schedule that starts it. A trigger with a `schedule` is a schedule. */
export class TriggerSection {
  @OneOf(['event', 'cron'], { about: 'What kind it is. Default: `cron` with a `schedule`, else `event`.' })
  readonly type?: 'event' | 'cron';

  @Name({ about: 'The connection whose events it looks at. Required of an event, unless there is a `webhook`.' })
  readonly source?: string;

  @Name({ about: 'In place of a connection: a webhook that is made through the API, by its `source`. It may be made later.' })
  readonly webhook?: string;

  @Name({ about: `${SAME} \`source\`, as routes spell it.` })
  readonly connection?: string;

  @TextList({ about: 'Patterns over event keys with `*`, `?` and `{a,b}`; one must match. Default: every event.' }, { filled: true })
  readonly on?: readonly string[];

  @Text({ about: 'JMESPath over the payload; the event is taken unless it yields nothing, false, 0 or something empty.' })
  readonly filter?: string;

  @OneOf(['dispatch_run', 'continue_conversation'], {
    about:
      '`dispatch_run`: each event starts a run, or joins the one that lives for its subject. `continue_conversation`: it goes to the conversation that earlier events about the same subject opened. Default: `dispatch_run`.',
  })
  readonly destination?: 'dispatch_run' | 'continue_conversation';

  @Text({ about: 'JMESPath for the subject’s key, instead of the plugin’s.' })
  readonly subject_key_expr?: string;

  @Text({ about: `${SAME} \`subject_key_expr\`, as routes spell it.` })
  readonly subject?: string;

  @Text({ about: 'JMESPath for the message’s text, instead of the plugin’s.' })
  readonly turn_text_expr?: string;

  @Text({ about: `${SAME} \`turn_text_expr\`, as routes spell it.` })
  readonly text?: string;

  @Flag({ about: 'False: messages wait for one that wakes the agent. Default: `true`.' })
  readonly wake_agent?: boolean;

  @Flag({ about: `${SAME} \`wake_agent\`, as routes spell it.` })
  readonly wake?: boolean;

  @Section(() => AuthorsSection, { about: 'Who may start it.' })
  readonly authors?: AuthorsSection;

  @Whole({ about: 'Waiting messages that may enter one turn together. Default: 20.', min: 1, max: 1000 })
  readonly coalesce?: number;

  @Duration({ about: 'A turn waits until nothing has arrived for so long; 10m at the most. Default: not at all.' })
  readonly debounce?: string;

  @Text({ about: 'Five fields: minute, hour, day of month, month, day of week.' })
  readonly schedule?: string;

  @Text({ about: 'IANA name of the zone that the schedule means. Default: `UTC`.' })
  readonly timezone?: string;

  @OneOf(['skip', 'one', 'all'], {
    about: 'What becomes of times at which no server ran: nothing, one run for all of them, or one for each. Default: `one`.',
  })
  readonly catch_up?: 'skip' | 'one' | 'all';
}

/** `automations.<name>:` - what starts runs, and what they do. */
export class AutomationSection {
  @Name({ about: 'The org that it belongs to.' })
  readonly org: string = 'default';

  @Flag({ about: 'False: its triggers start nothing; a person may still start it.' })
  readonly enabled: boolean = true;

  @List(() => TriggerSection, { about: 'What starts it; an empty list where only people do.', required: true })
  readonly triggers?: readonly TriggerSection[];

  @Text({ about: 'What the agent is told first, before the event. Required without `tarball`.' })
  readonly prompt?: string;

  @Text({
    about: 'Files that a run begins with: an `https://` address, or `upload://<id>`. Needs a runtime with a sandbox, and an `entrypoint`.',
  })
  readonly tarball?: string;

  @Text({ about: 'The command of the tarball’s files that is started, without a shell.' })
  readonly entrypoint?: string;

  @Name({
    about:
      'The runtime of its agents; each conversation has a folder of its own. Default, without `workspace`: the only runtime that there is.',
  })
  readonly runtime?: string;

  @Name({ about: 'The workspace whose agents work for it, instead of `runtime`.' })
  readonly workspace?: string;

  @Duration({ about: 'Longest run, up to `30m`.' })
  readonly timeout: string = '10m';

  @Flag({
    about:
      'Its sandbox outlives the run. Default: `true` where a trigger has `continue_conversation`, which does not take `false`; else `false`.',
  })
  readonly keep_alive?: boolean;

  @OneOf(CONCURRENCY, {
    about: 'What becomes of a further run while one is at work. `allow`: it begins. `skip`: it is skipped. `queue`: it waits.',
  })
  readonly concurrency: (typeof CONCURRENCY)[number] = 'allow';

  @OneOf(ON_SANDBOX_GONE, {
    about:
      'What becomes of messages whose sandbox is gone. `restart`: a new one is made, and told what was said. `queue`: they wait for a person. `drop`: they are dropped, and that is told.',
  })
  readonly on_sandbox_gone: (typeof ON_SANDBOX_GONE)[number] = 'restart';

  @OneOf(ON_EDIT, {
    about:
      'Whether a change gives later events conversations of their own. `keep`: never. `rekey`: always. Default: when the runtime, the tarball or the entrypoint is another.',
  })
  readonly on_edit?: (typeof ON_EDIT)[number];
}
