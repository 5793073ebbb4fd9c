import type { Screen } from '../../demo/screen/screen.js';
import type { Outcome } from '../chaos.js';
import { POINTS } from '../child/points.js';
import { isSpotless, type Verdict } from '../judge/judge.js';

const MOST_SHOWN = 5;
const WIDTH = 42;

/** What was done, and what came of it. */
export function printSummary(screen: Screen, { chronicle, sender, verdict, evidence }: Outcome): void {
  screen.line();
  screen.line(screen.paint('bold', 'kills by point'));
  for (const name of [...POINTS.map((point) => point.name), ...others(chronicle.counts)])
    if (chronicle.counts.has(name)) screen.line(`  ${name.padEnd(WIDTH)} ${String(chronicle.counts.get(name)).padStart(6)}`);
  screen.line();
  screen.line(screen.paint('bold', 'deliveries'));
  const { posts, unanswered, duplicates } = sender.counts;
  const rows: [string, number][] = [
    ['accepted', evidence.sent.filter(({ answer }) => answer !== null).length],
    ['posts of them', posts],
    ['… cut off, refused or answered 5xx', unanswered],
    ['… answered as duplicates', duplicates],
    ['in the store', evidence.stored.length],
    ['repeated, for their turn was cut off', verdict.repeated],
    ['things that a person did meanwhile', evidence.deeds.length],
  ];
  for (const [what, count] of rows) screen.line(`  ${what.padEnd(WIDTH)} ${String(count).padStart(6)}`);
  printVerdict(screen, verdict);
}

export function printVerdict(screen: Screen, verdict: Verdict): void {
  const kinds: [string, readonly string[]][] = [
    ['lost', verdict.lost],
    ['twice beyond those running', verdict.twice],
    ['out of order', verdict.outOfOrder],
    ['overlapping', verdict.overlapping],
    ['stuck', verdict.stuck],
    ['other faults', verdict.other],
  ];
  screen.line();
  for (const [kind, faults] of kinds) {
    const text = `${String(faults.length).padStart(5)} ${kind}`;
    screen.line(screen.paint(faults.length === 0 ? 'green' : 'red', text));
    for (const fault of faults.slice(0, MOST_SHOWN)) screen.line(`        ${fault}`);
    if (faults.length > MOST_SHOWN) screen.line(`        … and ${faults.length - MOST_SHOWN} more`);
  }
  screen.line();
  screen.line(isSpotless(verdict) ? screen.paint('green', '✓ as it should be') : screen.paint('red', '✗ not as it should be'));
}

function others(counts: ReadonlyMap<string, number>): string[] {
  return [...counts.keys()].filter((name) => !POINTS.some((point) => point.name === name)).sort();
}
