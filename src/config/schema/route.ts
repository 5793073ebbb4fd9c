import { Section } from './nested.js';
import { Duration, Flag, Name, OneOf, Text, TextList, Whole } from './values.js';

/** `routes.<name>.authors:` - who may wake an agent. */
export class AuthorsSection {
  @TextList({ about: 'Ids, logins or roles (`role:MEMBER`), one of which the author must have. Empty: everybody.' })
  readonly allow: readonly string[] = [];

  @Flag({ about: 'Also bots.' })
  readonly bots: boolean = false;

  @Flag({ about: 'Also identities of this server’s own.' })
  readonly self: boolean = false;
}

/** `routes.<name>:` - which events become messages, for whom, and how. Routes are tried in the order of the file. */
export class RouteSection {
  @Name({ about: 'The connection whose events it looks at. Required, unless there is a `webhook`.' })
  readonly connection?: string;

  @Name({ about: 'In place of a connection: a webhook that is made through the API, by its `source`. It may be made later.' })
  readonly webhook?: string;

  @Name({ about: 'The workspace whose agents get them.', required: true })
  readonly workspace: string = '';

  @Name({ about: 'The org that it belongs to.' })
  readonly org: string = 'default';

  @Text({ about: 'What agents are told about events of this route.' })
  readonly instructions?: string;

  @Text({
    about: 'The place of the connection whose events it takes, where a connection has several: a room of Matrix by its name. Default: all.',
  })
  readonly endpoint?: string;

  @TextList({ about: 'Patterns over event keys with `*`, `?` and `{a,b}`; one must match.' }, { filled: true })
  readonly on: readonly string[] = ['*'];

  @Text({ about: 'JMESPath over the payload; the event is taken unless it yields nothing, false, 0 or something empty.' })
  readonly filter?: string;

  @OneOf(['subject', 'automation'], {
    about: '`subject`: all routes of an org share the conversation of a subject. `automation`: this route has its own.',
  })
  readonly scope: 'subject' | 'automation' = 'subject';

  @Text({ about: 'JMESPath for the subject’s key, instead of the plugin’s.' })
  readonly subject?: string;

  @Text({ about: 'JMESPath for the message’s text, instead of the plugin’s.' })
  readonly text?: string;

  @OneOf(['on_event', 'on_demand'], {
    about: '`on_event`: the event becomes a message. `on_demand`: it is only recorded, until it is replayed.',
  })
  readonly activation: 'on_event' | 'on_demand' = 'on_event';

  @Flag({
    about:
      'True: once the route is `on_event`, what was kept while it was `on_demand` becomes messages too, in its order and each once. False: it stays as it is, and can be replayed one by one.',
  })
  readonly replay: boolean = false;

  @Flag({ about: 'False: messages wait for one that wakes the agent.' })
  readonly wake: boolean = true;

  @Duration({ about: 'With `wake: false`: after so long a message wakes the agent by itself. Default: never.' })
  readonly wakeAfter?: string;

  @Section(() => AuthorsSection, { about: 'Who may wake an agent.' })
  readonly authors: AuthorsSection = new AuthorsSection();

  @OneOf(['private', 'public'], { about: 'Trust in its events, where it is less than that in the connection. Default: the connection’s.' })
  readonly source?: 'private' | 'public';

  @Whole({ about: 'Waiting messages that may enter one turn together.', min: 1, max: 1000 })
  readonly coalesce: number = 20;

  @OneOf(['stall', 'skip'], { about: 'After a message is dead: the conversation waits for a person, or goes on.' })
  readonly onDead: 'stall' | 'skip' = 'stall';

  @OneOf(['follow', 'ignore'], { about: 'Whether the end of the subject ends the conversation.' })
  readonly lifecycle: 'follow' | 'ignore' = 'follow';

  @OneOf(['ignore', 'answer'], { about: 'What becomes of messages about a subject that has ended.' })
  readonly afterClose: 'ignore' | 'answer' = 'ignore';

  @OneOf(['ignore', 'deliver'], {
    about:
      'A message that an agent was given is edited or withdrawn: `deliver` tells the agent. One that still waits is changed, either way.',
  })
  readonly edits: 'ignore' | 'deliver' = 'ignore';

  @OneOf(['enqueue', 'collect', 'steer', 'interrupt', 'reject'], {
    about:
      'What becomes of a message while a turn runs. `enqueue`: it waits. `collect`: it waits, and its turn until nothing has arrived for `debounce`. `steer`: it joins the turn, where the runtime takes it. `interrupt`: the turn ends for it. `reject`: it is refused, `busy`. Default: `steer` where the runtime takes messages during a turn, else `enqueue`.',
  })
  readonly whileBusy?: 'enqueue' | 'collect' | 'steer' | 'interrupt' | 'reject';

  @Duration({ about: 'With `whileBusy: collect`: the quiet to wait for; ten times as long at the most. Default: `2s`.' })
  readonly debounce?: string;

  @OneOf(['read_only', 'approval_required', 'allowed'], {
    about:
      'What agents may write with the tools of its connection. `read_only`: nothing. `approval_required`: what a person has allowed. `allowed`: what the tools can, unless the conversation holds what anybody can write.',
  })
  readonly outbound: 'read_only' | 'approval_required' | 'allowed' = 'approval_required';

  @TextList({
    about: 'Ids, logins or roles (`role:MEMBER`) of who may decide about approvals in a thread. Default: as the workspace says.',
  })
  readonly approvers: readonly string[] = [];
}
