import { parseArgs } from 'node:util';
import { UsageFault } from '../options.js';
import type { StoreKind } from '../store.js';

export interface SoakOptions {
  readonly deliveries: number;
  readonly database: StoreKind;
}

export const USAGE = `npm run soak -- [options]

Sends a server unique deliveries without end in sight and looks at its memory. Ends with 0 when every delivery was handled and
the last fifth of them took no more than a tenth more memory than the middle one, else with 1.

  --deliveries <number>         default 100000
  --database sqlite|postgres    default sqlite
  --help                        this text
`;

const FEWEST = 1000;
const MOST = 100_000_000;

/** Throws what says which option is wrong. */
export function soakOptions(args: readonly string[]): SoakOptions | 'help' {
  const { values } = parsed(args);
  if (values.help) return 'help';
  const deliveries = Number(values.deliveries);
  if (!Number.isInteger(deliveries) || deliveries < FEWEST || deliveries > MOST)
    throw new UsageFault(`--deliveries must be a whole number from ${FEWEST} to ${MOST}, and is ${values.deliveries}`);
  const { database } = values;
  if (database !== 'sqlite' && database !== 'postgres') throw new UsageFault(`--database must be sqlite or postgres, and is ${database}`);
  return { deliveries, database };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        deliveries: { type: 'string', default: '100000' },
        database: { type: 'string', default: 'sqlite' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageFault(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
