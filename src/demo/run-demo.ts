import 'reflect-metadata';
import { ConfigFault } from '../plugin/index.js';
import { type DemoOptions, demoOptions, USAGE } from './options.js';
import { screenOf } from './screen/screen.js';

/** Exit code: 0 all as expected, 1 not so, 2 wrong usage or another demo in the way. */
export async function demo(args: readonly string[]): Promise<number> {
  const options = optionsIn(args);
  if (options === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  if (options === 'unknown') return 2;
  const isWatched = process.stdout.isTTY === true;
  try {
    // The server is loaded for the demo alone, not for its usage.
    const { runDemo } = await import('./demo.js');
    return await runDemo(options, { ...screenOf(process.stdout, process.env), isWatched }, toldToStop());
  } catch (error) {
    const isFault = error instanceof ConfigFault;
    process.stderr.write(`${isFault ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
    return isFault ? 2 : 1;
  }
}

function optionsIn(args: readonly string[]): DemoOptions | 'help' | 'unknown' {
  try {
    return demoOptions(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return 'unknown';
  }
}

/** Aborts at Ctrl-C or SIGTERM; a second one, of somebody who does not want to wait, ends the process at once. */
function toldToStop(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(1));
      controller.abort();
    });
  }
  return controller.signal;
}
