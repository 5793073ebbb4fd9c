import type { Command } from 'commander';

export interface ConfigOption {
  readonly config?: string;
}

export function withConfigOption(command: Command): Command {
  return command.option('--config <file>', 'configuration file (default: THROUGHLINE_CONFIG, else throughline.config.* here)');
}
