import { describe, expect, it } from '@jest/globals';
import type { Conversation, Turn } from '../../src/demo/ledger.js';
import type { Account } from '../../src/demo/outcome.js';
import type { Answer } from '../../src/demo/post-step.js';
import { scenes, steps } from '../../src/demo/scenes/all-scenes.js';
import { shortTitle } from '../../src/demo/screen/labels.js';
import { type Screen, screenOf } from '../../src/demo/screen/screen.js';
import { printSummary } from '../../src/demo/screen/summary.js';
import { Table } from '../../src/demo/screen/table.js';
import { cut, fitted, textWidth } from '../../src/demo/screen/text-width.js';
import type { Step } from '../../src/demo/script.js';

const conversation: Conversation = {
  id: 'a1b2c3d4-0000-5000-8000-000000000000',
  title: '[Codertocat/Hello-World#1] 你好 Überprüfung ✅ of the README file',
  subject: { namespace: 'github:github.com:1', key: '1#1' },
  state: 'open',
  status: 'idle',
  queue: { held: 0, pending: 0, claimed: 0 },
};
const turn: Turn = {
  id: `${conversation.id}.1`,
  state: 'done',
  from_sequence: 5,
  to_sequence: 10,
  result: `turn 1: ${'a very long answer 你好 '.repeat(20)}\nwith a second line\u001b[2J`,
  error: null,
  started_at: '2026-01-01T00:00:00.000Z',
  ended_at: '2026-01-01T00:00:01.000Z',
};
const answer: Answer = {
  status: 200,
  eventKey: 'pull_request_review_comment.created',
  decided: { duplicate: false, receipt: '1', disposition: 'ignored', reason: 'a_reason_that_is_longer_than_others' },
  delivery: { conversation: conversation.id, sequence: 10 },
  code: null,
  text: null,
};

function screenOfWidth(width: number): Screen & { readonly lines: string[] } {
  const lines: string[] = [];
  return { lines, width: () => width, paint: (_, text) => text, line: (text = '') => void lines.push(text) };
}

function printAll(screen: Screen): void {
  const table = new Table(screen);
  table.head();
  for (const [index, scene] of scenes.entries()) table.scene(scene, index + 1, scenes.length);
  for (const step of steps) table.delivery(step, { step: step.id, answer, isRepeat: true }, conversation);
  table.turn(turn, conversation);
  const account: Account = { conversation, deliveries: [], turns: [turn] };
  printSummary(screen, { accounts: [account], findings: [{ what: 'a thing', fault: null }] }, () => 'cyan');
}

describe('the table of the demo', () => {
  it.each([60, 80, 100, 120, 160, 180])('has no line that a terminal of %i columns would wrap, whatever the texts are', (width) => {
    const screen = screenOfWidth(width);
    printAll(screen);
    expect(screen.lines.length).toBeGreaterThan(steps.length);
    expect(screen.lines.filter((line) => textWidth(line) >= width || /[\p{Cc}]/u.test(line))).toEqual([]);
  });

  it.each([80, 100, 160])('says in %i columns what was decided, and where', (width) => {
    const screen = screenOfWidth(width);
    const [step] = steps as [Step];
    new Table(screen).delivery(
      step,
      {
        step: step.id,
        answer: { ...answer, decided: { duplicate: false, receipt: '1', disposition: 'ignored', reason: 'same_message' } },
        isRepeat: false,
      },
      conversation,
    );
    expect(screen.lines[0]).toMatch(/GitHub {2}issue opened .*ignored: same_mess.* #1 .*a1b2c3 {2}10$/);
  });

  it('shows titles without what is the same in all of them', () => {
    expect(shortTitle('[Codertocat/Hello-World#12] Spelling')).toBe('#12 Spelling');
    expect(shortTitle('[LIN-1778] Repair')).toBe('LIN-1778 Repair');
    expect(shortTitle('[Codertocat/Hello-World] refs/heads/main')).toBe('refs/heads/main');
    expect(shortTitle('C0001: fix it')).toBe('C0001: fix it');
    expect(shortTitle(null)).toBe('untitled');
  });

  it('measures text as terminals do', () => {
    expect(textWidth('Überprüfung ✅ 你好')).toBe(19);
    expect(cut('你好你好', 5)).toBe('你好…');
    expect(fitted('你好', 6)).toBe('你好  ');
    expect(cut('abc', 0)).toBe('');
  });
});

describe('the screen of the demo', () => {
  const stream = (isTTY: boolean) => ({ isTTY, columns: 90, write: () => true }) as unknown as NodeJS.WriteStream;

  it('is coloured for a terminal alone, and not where NO_COLOR is set', () => {
    expect(screenOf(stream(true), {}).paint('red', 'x')).toContain('\u001b[31m');
    expect(screenOf(stream(false), {}).paint('red', 'x')).toBe('x');
    expect(screenOf(stream(true), { NO_COLOR: '1' }).paint('red', 'x')).toBe('x');
    expect(screenOf(stream(true), { TERM: 'dumb' }).paint('red', 'x')).toBe('x');
  });

  it('is as wide as the terminal, within bounds', () => {
    expect(screenOf(stream(true), {}).width()).toBe(90);
    expect(screenOf({ ...stream(false), columns: undefined } as unknown as NodeJS.WriteStream, {}).width()).toBe(100);
  });
});
