import { painter, type Style, type Terminal } from '../terminal.js';
import { count, type Finding, type Section, type Verdict } from './finding.js';

const MARKS: Readonly<Record<Verdict, readonly [mark: string, style: Style]>> = {
  ok: ['✓', 'green'],
  warning: ['!', 'yellow'],
  fault: ['✗', 'red'],
};

/** For people: a mark, a name and a message on each line, with what mends it below. */
export function humanReport(sections: readonly Section[], terminal: Terminal): string {
  const paint = painter(terminal);
  const width = Math.max(...sections.flatMap(({ findings }) => findings.map(({ name }) => name.length)));
  const lines = sections.flatMap(({ title, findings }) => [
    paint('bold', title),
    ...findings.flatMap((finding) => linesOf(finding, width, paint)),
    '',
  ]);
  return [...lines, verdictOn(sections, paint)].join('\n');
}

type Paint = ReturnType<typeof painter>;

function linesOf({ name, verdict, message, fix }: Finding, width: number, paint: Paint): string[] {
  const [mark, style] = MARKS[verdict];
  const line = `  ${paint(style, mark)} ${name.padEnd(width)}  ${message}`;
  return fix === null ? [line] : [line, `    ${' '.repeat(width)}  ${paint('dim', `→ ${fix}`)}`];
}

function verdictOn(sections: readonly Section[], paint: Paint): string {
  const [faults, warnings] = [count(sections, 'fault'), count(sections, 'warning')];
  const hints = warnings === 0 ? '' : `, ${number(warnings, 'warning')}`;
  return faults === 0 ? paint('green', `Ready to work${hints}.`) : paint('red', `${number(faults, 'fault')}${hints}.`);
}

function number(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}

/** For programs. */
export function jsonReport(sections: readonly Section[]): string {
  const [faults, warnings] = [count(sections, 'fault'), count(sections, 'warning')];
  const checks = sections.flatMap(({ title, findings }) => findings.map((finding) => ({ section: title, ...finding })));
  return JSON.stringify({ ok: faults === 0, faults, warnings, checks }, null, 2);
}
