import 'reflect-metadata';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { screenOf } from '../demo/screen/screen.js';
import { Chaos } from './chaos.js';
import { fates } from './fleet/fate.js';
import { makeFolder } from './home.js';
import { isSpotless } from './judge/judge.js';
import { type ChaosOptions, chaosOptions, USAGE, UsageFault } from './options.js';
import { Live, type LiveScreen } from './screen/live.js';
import { printSummary } from './screen/summary.js';
import { type ChaosStore, makeStore } from './store.js';

const LEASE_MS = 3000;
const SUBJECTS = 40;
const CONCURRENCY = 8;
const FIVE_MINUTES_MS = 300_000;

/** Exit code: 0 all as it should be, 1 not so, 2 wrong usage. */
export async function chaos(args: readonly string[]): Promise<number> {
  try {
    const options = chaosOptions(args);
    if (options !== 'help') return await runChaos(options, liveScreen(), toldToStop());
    process.stdout.write(USAGE);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageFault)) throw error;
    process.stderr.write(`${error.message}\n\n${USAGE}`);
    return 2;
  }
}

async function runChaos(options: ChaosOptions, screen: LiveScreen, stop: AbortSignal): Promise<number> {
  const { minutes, database, replicas, seed } = options;
  const folder = makeFolder();
  screen.line(`${database}, ${replicas === 1 ? 'one server' : 'two servers'}, ${minutes} min, seed ${seed}, in ${folder}`);
  const store = await makeStore(database, folder);
  let isFine = false;
  try {
    isFine = await rage(options, folder, store, screen, stop);
  } finally {
    await store.remove();
    if (isFine) rmSync(folder, { recursive: true, force: true });
    else
      screen.line(
        `Look at ${folder}: agent.log is what agents did, chronicle.jsonl what was done to servers, *.log what they said. Again: --seed ${seed}`,
      );
  }
  return isFine ? 0 : 1;
}

async function rage(
  { minutes, database, replicas, seed }: ChaosOptions,
  folder: string,
  store: ChaosStore,
  screen: LiveScreen,
  stop: AbortSignal,
): Promise<boolean> {
  const losesLease = database === 'postgres';
  const one = { name: 'one', shiftMs: replicas === 2 ? -FIVE_MINUTES_MS : 0, losesLease };
  const two = { name: 'two', shiftMs: FIVE_MINUTES_MS, losesLease };
  const run = new Chaos({
    ...{ folder, store, seed, leaseMs: LEASE_MS, subjects: SUBJECTS, concurrency: CONCURRENCY },
    forMs: minutes * 60_000,
    replicas: replicas === 2 ? [one, two] : [one],
    fates: (chance) => fates(chance, LEASE_MS),
  });
  const live = new Live(screen, run);
  live.start();
  const outcome = await run.run(stop).finally(() => live.stop());
  printSummary(screen, outcome);
  const isFine = isSpotless(outcome.verdict);
  if (!isFine)
    writeFileSync(path.join(folder, 'evidence.json'), JSON.stringify({ seed, verdict: outcome.verdict, ...outcome.evidence }, null, 1));
  return isFine;
}

function liveScreen(): LiveScreen {
  const out = process.stdout;
  return { ...screenOf(out, process.env), isWatched: out.isTTY === true, inPlace: (text) => void out.write(`\r\u001b[2K${text}`) };
}

/** The first Ctrl-C ends the killing and lets everything come to rest; a second one ends the process at once. */
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
