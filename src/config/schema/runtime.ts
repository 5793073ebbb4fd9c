import { Allow } from 'class-validator';
import type { RawMap } from '../raw.js';
import { fieldsOf, Open } from './field.js';
import { NotBuilt, Section, Variables } from './nested.js';
import { Duration, Name, OneOf, Text, TextList } from './values.js';

/** `kind: echo` - answers with the text that it got; for demos, tests and benchmarks. */
export class EchoSection {
  @Duration({ about: 'How long a turn takes.' })
  readonly delay: string = '0ms';

  @Text({ about: 'A turn whose text contains this fails.' })
  readonly fail?: string;
}

export const PRESETS = ['claude-code', 'codex', 'gemini'] as const;

/** `kind: process` - starts a command for each turn. */
export class ProcessSection {
  @TextList(
    { about: 'The command and its arguments, run without a shell. Required without `preset`; with it, the program’s own name by default.' },
    { filled: true },
  )
  readonly command?: readonly string[];

  @OneOf(PRESETS, { about: 'The program is an agent of this kind, and is run and understood as such.' })
  readonly preset?: (typeof PRESETS)[number];

  @TextList({ about: 'Arguments that are added to those of the preset.' })
  readonly args: readonly string[] = [];

  @Text({ about: 'Folder to run in, relative to this file. Default: the folder of the turn’s workspace.' })
  readonly cwd?: string;

  @Variables({ about: 'Variables of the command’s environment; values may be references.' })
  readonly env: Readonly<Record<string, string | number | boolean>> = {};

  @OneOf(['events', 'text'], { about: '`events`: one JSON object a line. `text`: everything printed is the result. A preset has its own.' })
  readonly output: 'events' | 'text' = 'events';

  @Duration({ about: 'Longest turn; then the whole process group is ended.' })
  readonly timeout: string = '30m';

  @Duration({ about: 'Longest silence of a turn. Default: none.' })
  readonly idleTimeout?: string;
}

/** `kind: acp` - keeps an agent that speaks the Agent Client Protocol, one process for each conversation. */
export class AcpSection {
  @TextList({ about: 'The command and its arguments, run without a shell.', required: true }, { filled: true })
  readonly command: readonly string[] = [];

  @Text({ about: 'Folder to run in, relative to this file. Default: the folder of the turn’s workspace.' })
  readonly cwd?: string;

  @Variables({ about: 'Variables of the command’s environment; values may be references.' })
  readonly env: Readonly<Record<string, string | number | boolean>> = {};

  @Text({ about: 'The mode of the agent, by its own name for it. Default: the agent’s own choice.' })
  readonly mode?: string;

  @OneOf(['ask', 'allow', 'deny'], { about: 'Who answers when the agent asks for permission: `ask` a person, or always the same.' })
  readonly permissions: 'ask' | 'allow' | 'deny' = 'ask';

  @Duration({ about: 'Longest turn, without the time that people take to decide.' })
  readonly timeout: string = '30m';

  @Duration({ about: 'Longest silence of a turn. Default: none.' })
  readonly idleTimeout?: string;

  @Duration({ about: 'Longest time until a started agent takes messages; `npx` may have to fetch it first.' })
  readonly startTimeout: string = '2m';

  @Duration({ about: 'How long its process is kept when it has nothing to do.' })
  readonly keepAlive: string = '10m';
}

/** The agent of conversations at an agent server: its `kind` there, and the options that the server has for it. */
@Open(() => [])
export class HostedAgentSection {
  @Name({
    about: 'The kind of agent, by the server’s own name for it: `acp`, `process` or `echo` at `throughline agent-server`.',
    required: true,
  })
  readonly kind: string = '';

  @Allow()
  readonly rest: RawMap = {};
}

/** `kind: agent-server` - has its conversations at a server that is reached over HTTP. */
export class AgentServerSection {
  @Text(
    { about: 'Address of the server, without `/api`: `http://127.0.0.1:8788`.' },
    {
      matches: '^https?://[^/?#\\s]+(/[^?#\\s]*)?$',
      rule: 'must be an address such as `http://127.0.0.1:8788`, without `/api` and without a question mark',
    },
  )
  readonly url?: string;

  @Text({ about: 'What the server asks for in `X-Session-API-Key`: a reference.' })
  readonly apiKey?: string;

  @NotBuilt()
  readonly sandbox?: unknown;

  @Section(() => HostedAgentSection, { about: 'The agent that conversations are made with.' })
  readonly agent?: HostedAgentSection;

  @Text({
    about: 'Folder on the server’s machine in which its agents work, absolute. Default: the server’s choice, one for each conversation.',
  })
  readonly workingDir?: string;

  @Duration({ about: 'Longest turn, without the time that people take to decide.' })
  readonly timeout: string = '30m';

  @Duration({ about: 'How often a running turn is asked for where the server’s socket says nothing.' })
  readonly poll: string = '1s';
}

/** What every kind that starts a command takes. */
export type CommandSection = Pick<ProcessSection | AcpSection, 'cwd' | 'env' | 'timeout' | 'idleTimeout'>;

/** `runtimes.<name>:` - a way to run turns. Further keys belong to the kind. */
@Open(() => [EchoSection, ProcessSection, AcpSection, AgentServerSection].flatMap((section) => [...fieldsOf(section).keys()]))
export class RuntimeSection {
  @Name({ about: '`echo`, `process`, `acp`, `agent-server`, or a kind that a plugin brings.', required: true })
  readonly kind: string = '';

  @Allow()
  readonly rest: RawMap = {};
}
