import { ConsoleLogger } from '@nestjs/common';

/** What the framework says of its own assembly, to nobody's use. */
const OF_THE_FRAMEWORK = new Set(['NestFactory', 'NestApplication', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer']);

/** Lines for a person at a terminal, JSON for everything that collects logs. Nothing is ever logged that holds a secret or a payload. */
export class ServerLogger extends ConsoleLogger {
  constructor(isTerminal: boolean = process.stdout.isTTY === true) {
    super({ json: !isTerminal, colors: isTerminal && !process.env.NO_COLOR });
  }

  /** What keeps the application from being put together is told by whoever started it, once. */
  override error(message: unknown, ...rest: unknown[]): void {
    if (rest.at(-1) !== 'ExceptionHandler') super.error(message, ...rest);
  }

  override log(message: unknown, ...rest: unknown[]): void {
    if (!OF_THE_FRAMEWORK.has(String(rest.at(-1)))) super.log(message, ...rest);
  }
}
