import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Home, openHome } from './home.js';
import { type Host, startHost } from './host.js';
import type { DemoOptions } from './options.js';
import { isMet, outcomeOf } from './outcome.js';
import { packageFolder } from './package-folder.js';
import { play } from './play.js';
import { steps } from './scenes/all-scenes.js';
import { printFarewell, printServing, printWelcome } from './screen/notices.js';
import type { Screen } from './screen/screen.js';
import { printSummary } from './screen/summary.js';
import { Table } from './screen/table.js';
import { TurnWatch } from './turn-watch.js';

const PORT = 8787;
/** Between two steps: for people, and for programs that only want the outcome. */
const PACE_MS = { watched: 450, unwatched: 60 };
const TIME_LIMIT_MS = 180_000;

/** Runs the demo. Resolves to its exit code: 0 when everything was as expected, else 1. */
export async function runDemo(options: DemoOptions, screen: Screen & { readonly isWatched: boolean }, stop: AbortSignal): Promise<number> {
  const folder = options.once ? mkdtempSync(path.join(os.tmpdir(), 'throughline-demo-')) : path.resolve('data', 'demo');
  try {
    const home = openHome(folder);
    const host = await startHost(home, options.once ? 0 : PORT);
    try {
      return await perform(options, home, host, screen, stop);
    } finally {
      await host.server.close();
    }
  } finally {
    if (options.once) rmSync(folder, { recursive: true, force: true });
  }
}

async function perform(
  options: DemoOptions,
  home: Home,
  host: Host,
  screen: Screen & { readonly isWatched: boolean },
  stop: AbortSignal,
): Promise<number> {
  const { progress } = home;
  const table = new Table(screen);
  printWelcome(screen, { url: host.server.url, answered: progress.answered.length, of: steps.length });
  table.head();
  await playWatched(home, host, table, screen.isWatched ? PACE_MS.watched : PACE_MS.unwatched, stop);
  if (stop.aborted) {
    printFarewell(screen, options);
    return 1;
  }
  const outcome = await outcomeOf(progress, host.ledger, home.folder);
  printSummary(screen, outcome, (conversation) => table.colour(conversation));
  if (!options.once && !options.exitWhenDone) {
    printServing(screen, { url: host.server.url, folder: path.relative(process.cwd(), home.folder) });
    await aborted(stop);
  }
  return isMet(outcome) ? 0 : 1;
}

/** Plays the script while its turns are watched; ends with the first of the two that fails. */
async function playWatched(
  { secrets, progress, logFile }: Home,
  { server, ledger }: Host,
  table: Table,
  paceMs: number,
  stop: AbortSignal,
): Promise<void> {
  const done = new AbortController();
  const limit = AbortSignal.timeout(TIME_LIMIT_MS);
  const signal = AbortSignal.any([stop, limit]);
  const watch = new TurnWatch(ledger, progress, table);
  const destination = { url: server.url, secrets, fixtures: path.join(packageFolder(), 'test', 'fixtures') };
  const watching = watch.run(AbortSignal.any([signal, done.signal]));
  try {
    await Promise.race([play({ destination, progress, watch, table, paceMs, signal }), watching]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    done.abort();
    await watching.catch(() => undefined);
  }
  if (limit.aborted && !stop.aborted)
    throw new Error(`the script did not come to its end within ${TIME_LIMIT_MS / 1000} s; ${logFile} may say why`);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
