import 'reflect-metadata';
import { rmSync } from 'node:fs';
import { type Screen, screenOf } from '../../demo/screen/screen.js';
import { makeFolder } from '../home.js';
import { UsageFault } from '../options.js';
import { bars } from '../screen/live.js';
import { makeStore } from '../store.js';
import { growth, isFlat, type Sample } from './memory.js';
import { type SoakOptions, soakOptions, USAGE } from './options.js';
import { Soak, type SoakOutcome } from './soak.js';

const ROWS = 20;

/** Exit code: 0 all handled and flat, 1 not so, 2 wrong usage. */
export async function soak(args: readonly string[]): Promise<number> {
  try {
    const options = soakOptions(args);
    if (options !== 'help') return await runSoak(options, screenOf(process.stdout, process.env));
    process.stdout.write(USAGE);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageFault)) throw error;
    process.stderr.write(`${error.message}\n\n${USAGE}`);
    return 2;
  }
}

async function runSoak({ deliveries, database }: SoakOptions, screen: Screen): Promise<number> {
  const folder = makeFolder();
  screen.line(`${deliveries} deliveries, ${database}, in ${folder}`);
  const store = await makeStore(database, folder);
  try {
    const outcome = await new Soak(deliveries, store, folder, tellEvery(deliveries / ROWS, screen)).run();
    return printOutcome(outcome, screen) ? 0 : 1;
  } finally {
    await store.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A row whenever so many more are done. */
function tellEvery(step: number, screen: Screen): (samples: readonly Sample[]) => void {
  let told = 0;
  screen.line(screen.paint('dim', '      done      /s   MiB'));
  return (samples) => {
    const last = samples.at(-1);
    if (!last || last.done < told + step) return;
    told = Math.floor(last.done / step) * step;
    const rate = Math.round((last.done * 1000) / last.atMs);
    screen.line(`${String(last.done).padStart(10)} ${String(rate).padStart(7)} ${last.rssMb.toFixed(0).padStart(5)}`);
  };
}

function printOutcome({ samples, faults }: SoakOutcome, screen: Screen): boolean {
  const memory = samples.map(({ rssMb }) => rssMb);
  const every = Math.max(1, Math.ceil(memory.length / 60));
  screen.line();
  screen.line(`memory ${bars(memory.filter((_, i) => i % every === 0))}  at most ${Math.max(...memory).toFixed(0)} MiB`);
  for (const fault of faults) screen.line(screen.paint('red', `✗ ${fault}`));
  const percent = (growth(samples) * 100).toFixed(1);
  const isFine = faults.length === 0 && isFlat(samples);
  screen.line(
    screen.paint(isFine ? 'green' : 'red', `${isFine ? '✓' : '✗'} the last fifth took ${percent} % more memory than the middle one`),
  );
  return isFine;
}
