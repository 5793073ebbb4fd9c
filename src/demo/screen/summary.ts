import type { Account, Outcome } from '../outcome.js';
import { GAP, INDENT } from './columns.js';
import { shortTitle } from './labels.js';
import type { Paint, Screen } from './screen.js';
import { cut, fitted } from './text-width.js';

const TITLE_SHARE = 0.28;
const NUMBERS = { state: 8, deliveries: 10, turns: 5 };

/** How every conversation ended, and whether all was as expected. */
export function printSummary(screen: Screen, outcome: Outcome, colour: (conversation: string) => Paint): void {
  const { accounts, findings } = outcome;
  screen.line();
  screen.line(`${INDENT}${screen.paint('bold', 'What became of it')}`);
  screen.line();
  const widths = widthsFor(screen.width());
  const names = ['conversation', 'state', 'deliveries', 'turns', 'last output'];
  const head = INDENT + names.map((name, index) => fitted(name, widths[index] ?? 0)).join(GAP);
  screen.line(screen.paint('dim', head.trimEnd()));
  screen.line(screen.paint('dim', INDENT + '─'.repeat(screen.width() - 1 - INDENT.length)));
  for (const account of accounts) screen.line(lineOf(account, widths, screen, colour(account.conversation.id)));
  screen.line();
  for (const { what, fault } of findings) if (fault !== null) screen.line(`${INDENT}${screen.paint('red', `✗ ${what}: ${fault}`)}`);
  const met = findings.filter(({ fault }) => fault === null).length;
  const isAll = met === findings.length;
  screen.line(
    `${INDENT}${screen.paint(['bold', isAll ? 'green' : 'red'], `${isAll ? '✓' : '✗'} ${met} of ${findings.length} expectations met`)}`,
  );
}

function lineOf({ conversation, deliveries, turns }: Account, widths: readonly number[], screen: Screen, colour: Paint): string {
  const [title = 0, state = 0, many = 0, few = 0, output = 0] = widths;
  const done = turns.filter((turn) => turn.state === 'done');
  const last = done.at(-1);
  return (
    INDENT +
    [
      screen.paint(colour, fitted(shortTitle(conversation.title), title)),
      fitted(conversation.state, state),
      fitted(String(deliveries.length), many),
      fitted(String(done.length), few),
      screen.paint('dim', cut(last?.result ?? '', output)),
    ].join(GAP)
  );
}

function widthsFor(width: number): number[] {
  const { state, deliveries, turns } = NUMBERS;
  const title = Math.floor(width * TITLE_SHARE);
  const output = width - 1 - INDENT.length - title - state - deliveries - turns - 4 * GAP.length;
  return [title, state, deliveries, turns, output];
}
