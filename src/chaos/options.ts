import { parseArgs } from 'node:util';
import type { StoreKind } from './store.js';

export interface ChaosOptions {
  readonly minutes: number;
  readonly database: StoreKind;
  readonly replicas: 1 | 2;
  readonly seed: number;
}

export const USAGE = `npm run chaos -- [options]

Starts real servers, sends them signed deliveries of GitHub, and kills them at named points between statements and at random. What was
accepted is held against what the agents saw: nothing lost, twice, out of order, overlapping or stuck. Ends with 0, else with 1.

  --minutes <number>            how long servers are killed; default 5
  --database sqlite|postgres    default sqlite; postgres is that of THROUGHLINE_TEST_PG_URL, else one that is started for the run
  --replicas 1|2                default 1; two need postgres, are paused past their lease too, and have clocks that are 10 minutes apart
  --seed <number>               chooses the same fates and events as a run before; default: by the clock
  --help                        this text
`;

/** What is wrong with the command, in a sentence. */
export class UsageFault extends Error {}

const MOST_MINUTES = 24 * 60;

/** Throws what says which option is wrong. */
export function chaosOptions(args: readonly string[]): ChaosOptions | 'help' {
  const { values } = parsed(args);
  if (values.help) return 'help';
  const minutes = Number(values.minutes);
  if (!(minutes > 0 && minutes <= MOST_MINUTES))
    throw new UsageFault(`--minutes must be a number up to ${MOST_MINUTES}, and is ${values.minutes}`);
  const { database, replicas } = values;
  if (database !== 'sqlite' && database !== 'postgres') throw new UsageFault(`--database must be sqlite or postgres, and is ${database}`);
  if (replicas !== '1' && replicas !== '2') throw new UsageFault(`--replicas must be 1 or 2, and is ${replicas}`);
  if (database === 'sqlite' && replicas === '2')
    throw new UsageFault('a SQLite file has one server: two replicas need --database postgres');
  return { minutes, database, replicas: replicas === '1' ? 1 : 2, seed: seedIn(values.seed) };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        minutes: { type: 'string', default: '5' },
        database: { type: 'string', default: 'sqlite' },
        replicas: { type: 'string', default: '1' },
        seed: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageFault(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function seedIn(text: string | undefined): number {
  if (text === undefined) return Date.now() % 1_000_000;
  const seed = Number(text);
  if (!Number.isSafeInteger(seed) || seed < 0) throw new UsageFault(`--seed must be a whole number, and is ${text}`);
  return seed;
}
