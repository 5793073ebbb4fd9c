import { parseArgs } from 'node:util';

export interface DemoOptions {
  /** In a fresh temporary folder, on a free port; ends with the script. */
  readonly once: boolean;
  /** Ends with the script, but works in `data/demo` and goes on where a killed one stopped. */
  readonly exitWhenDone: boolean;
}

export const USAGE = `npm run demo [-- <option>]

Starts the server on an embedded database in data/demo, sends it recorded deliveries of GitHub, Linear and Slack, and shows
what becomes of each. A demo that was killed goes on where it stopped. Afterwards it serves until Ctrl-C.

  --once             work in a temporary folder and on a free port, check every expectation, end with 0 or 1, leave nothing
  --exit-when-done   the same in data/demo, which is kept: end with the script instead of serving
  --help             this text
`;

/** Throws what says which option is not known. */
export function demoOptions(args: readonly string[]): DemoOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: { once: { type: 'boolean' }, 'exit-when-done': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) return 'help';
  return { once: values.once ?? false, exitWhenDone: values['exit-when-done'] ?? false };
}
