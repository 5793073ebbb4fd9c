import { Allow } from 'class-validator';
import type { RawMap } from '../raw.js';
import { fieldsOf, Open } from './field.js';
import { NotBuilt, Variables } from './nested.js';
import { Duration, Name, OneOf, Text, TextList } from './values.js';

/** `kind: echo` - answers with the text that it got; for demos, tests and benchmarks. */
export class EchoSection {
  @Duration({ about: 'How long a turn takes.' })
  readonly delay: string = '0ms';

  @Text({ about: 'A turn whose text contains this fails.' })
  readonly fail?: string;
}

/** `kind: process` - starts a command for each turn. */
export class ProcessSection {
  @TextList({ about: 'The command and its arguments, run without a shell.', required: true }, { filled: true })
  readonly command: readonly string[] = [];

  @Text({ about: 'Folder to run in, relative to this file. Default: the folder of the turn’s workspace.' })
  readonly cwd?: string;

  @Variables({ about: 'Variables of the command’s environment; values may be references.' })
  readonly env: Readonly<Record<string, string | number | boolean>> = {};

  @OneOf(['events', 'text'], { about: '`events`: one JSON object a line. `text`: everything printed is the result.' })
  readonly output: 'events' | 'text' = 'events';

  @Duration({ about: 'Longest turn; then the whole process group is ended.' })
  readonly timeout: string = '30m';

  @Duration({ about: 'Longest silence of a turn. Default: none.' })
  readonly idleTimeout?: string;

  @NotBuilt()
  readonly preset?: unknown;
}

/** `runtimes.<name>:` - a way to run turns. Further keys belong to the kind. */
@Open(() => [...fieldsOf(EchoSection).keys(), ...fieldsOf(ProcessSection).keys()])
export class RuntimeSection {
  @Name({ about: '`echo`, `process`, or a kind that a plugin brings.', required: true })
  readonly kind: string = '';

  @Allow()
  readonly rest: RawMap = {};
}
