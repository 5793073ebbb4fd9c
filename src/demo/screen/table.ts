import type { Conversation, Turn } from '../ledger.js';
import type { Answered } from '../progress.js';
import type { Scene, Step } from '../script.js';
import { type Columns, columnsFor, GAP, INDENT } from './columns.js';
import { colourOf, decisionLabel, shortTitle, sourceLabel } from './labels.js';
import type { Paint, Screen } from './screen.js';
import { fitted, wrapped } from './text-width.js';

const SHORT_ID = 6;
const LONGEST_TEXT = 110;

/** The table that grows as things happen: a row for each delivery, and one for each turn when it ends. */
export class Table {
  private readonly colours = new Map<string, Paint>();

  constructor(private readonly screen: Screen) {}

  scene({ title, about }: Scene, number: number, of: number): void {
    const { screen } = this;
    screen.line();
    screen.line(`${INDENT}${screen.paint('bold', title)}  ${screen.paint('dim', `${number}/${of}`)}`);
    for (const line of wrapped(about, Math.min(LONGEST_TEXT, screen.width() - 2))) screen.line(INDENT + screen.paint('dim', line));
  }

  head(): void {
    const { screen } = this;
    const columns = columnsFor(screen.width());
    const names = ['time', 'from', 'what happens', 'event', 'decision', 'conversation', 'seq'];
    const cells = widthsOf(columns).map((width, index) => (width === 0 ? null : fitted(names[index] ?? '', width)));
    screen.line();
    screen.line(screen.paint('dim', row(cells)));
    screen.line(screen.paint('dim', INDENT + '─'.repeat(screen.width() - 1 - INDENT.length)));
  }

  delivery(step: Step, { answer, isRepeat }: Answered, conversation: Conversation | null): void {
    const { screen } = this;
    const columns = columnsFor(screen.width());
    const source = sourceLabel(step.source, columns.source);
    const decision = decisionLabel(answer);
    const about = isRepeat ? `${step.about} (again)` : step.about;
    screen.line(
      row([
        screen.paint('dim', timeOf(columns)),
        screen.paint(source.style, fitted(source.text, columns.source)),
        fitted(about, columns.about),
        columns.event === 0 ? null : screen.paint('dim', fitted(answer.eventKey, columns.event)),
        screen.paint(decision.style, fitted(decision.text, columns.decision)),
        conversation ? this.place(conversation, columns.conversation) : fitted('–', columns.conversation),
        fitted(answer.delivery ? String(answer.delivery.sequence) : '', columns.sequence),
      ]),
    );
  }

  /** The output of a turn spans what the deliveries' rows say in several columns. */
  turn(turn: Turn, conversation: Conversation): void {
    const { screen } = this;
    const columns = columnsFor(screen.width());
    const { about, event, decision } = columns;
    const span = about + decision + GAP.length + (event === 0 ? 0 : event + GAP.length);
    const output = turn.result ?? `${turn.state}: ${turn.error ?? 'its process was ended'}`;
    const style: Paint = turn.state === 'done' ? this.colour(conversation.id) : turn.state === 'interrupted' ? 'yellow' : 'red';
    screen.line(
      row([
        screen.paint('dim', timeOf(columns)),
        screen.paint('dim', fitted(columns.source > 6 ? '↳ agent' : '↳', columns.source)),
        screen.paint(style, fitted(output, span)),
        this.place(conversation, columns.conversation),
        fitted(sequencesOf(turn), columns.sequence),
      ]),
    );
  }

  colour(conversation: string): Paint {
    const known = this.colours.get(conversation) ?? colourOf(this.colours.size);
    this.colours.set(conversation, known);
    return known;
  }

  private place({ id, title }: Conversation, width: number): string {
    const text = `${fitted(shortTitle(title), width - SHORT_ID - 1)} ${id.slice(0, SHORT_ID)}`;
    return this.screen.paint(this.colour(id), text);
  }
}

function sequencesOf({ from_sequence: from, to_sequence: to }: Pick<Turn, 'from_sequence' | 'to_sequence'>): string {
  return from === to ? String(from) : `${from}–${to}`;
}

function row(cells: readonly (string | null)[]): string {
  return (INDENT + cells.filter((cell) => cell !== null).join(GAP)).trimEnd();
}

function widthsOf({ time, source, about, event, decision, conversation, sequence }: Columns): number[] {
  return [time, source, about, event, decision, conversation, sequence];
}

function timeOf({ time }: Columns): string {
  const text = new Date().toTimeString().slice(0, 8);
  return time < text.length ? text.slice(-time) : text;
}
