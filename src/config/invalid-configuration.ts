import { type Fault, InvalidInput } from '../plugin/index.js';

/** A fault of a config file; `line` and `column` where the file could not be read as YAML or JSON. */
export interface ConfigurationFault extends Fault {
  readonly line?: number;
  readonly column?: number;
}

/** The configuration cannot be used. The message lists every fault with its file and path; whoever sees it exits with 2. */
export class InvalidConfiguration extends InvalidInput {
  override readonly code: string = 'invalid_configuration';

  constructor(
    readonly file: string | null,
    override readonly faults: readonly ConfigurationFault[],
    options?: ErrorOptions,
  ) {
    super(report(file, faults), faults, options);
  }
}

function report(file: string | null, faults: readonly ConfigurationFault[]): string {
  const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`;
  return [`the configuration has ${count}:`, ...faults.map((fault) => `  ${describe(file, fault)}`)].join('\n');
}

function describe(file: string | null, fault: ConfigurationFault): string {
  const place = [file ?? 'environment', fault.line, fault.column].filter((part) => part !== undefined).join(':');
  return fault.path === '' ? `${place}: ${fault.message}` : `${place}: ${fault.path}: ${fault.message}`;
}
