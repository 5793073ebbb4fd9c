import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Answer } from './post-step.js';
import type { Step } from './script.js';

export interface Answered {
  readonly step: string;
  readonly answer: Answer;
  /** It had been sent before, by a demo that was killed before it knew the answer. */
  readonly isRepeat: boolean;
}

type Line = { readonly sent: string } | Answered | { readonly turn: string };

/**
 * How far a script is, in a file that is only ever appended to. A kill can cost no more than the last line, and
 * a step that is sent once more because of it is a duplicate to the server.
 */
export class Progress {
  private readonly sent = new Set<string>();
  private readonly answers = new Map<string, Answered>();
  private readonly turns = new Set<string>();

  private constructor(private readonly file: string) {}

  static read(file: string): Progress {
    const progress = new Progress(file);
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    for (const line of lines) progress.take(parsed(line));
    return progress;
  }

  get hasBegun(): boolean {
    return this.sent.size > 0;
  }

  get answered(): readonly Answered[] {
    return [...this.answers.values()];
  }

  isComplete(steps: readonly Step[]): boolean {
    return steps.every(({ id }) => this.answers.has(id));
  }

  answerTo({ id }: Step): Answered | null {
    return this.answers.get(id) ?? null;
  }

  /** To be called before the step is sent. True: it may have arrived before. */
  noteSending({ id }: Step): boolean {
    const isRepeat = this.sent.has(id);
    this.write({ sent: id });
    return isRepeat;
  }

  noteAnswer(answered: Answered): void {
    this.write(answered);
  }

  /** True for a turn that was not told of yet. */
  noteTurn(turn: string): boolean {
    if (this.turns.has(turn)) return false;
    this.write({ turn });
    return true;
  }

  private write(line: Line): void {
    appendFileSync(this.file, `${JSON.stringify(line)}\n`);
    this.take(line);
  }

  private take(line: Line | null): void {
    if (line === null) return;
    if ('sent' in line) this.sent.add(line.sent);
    if ('turn' in line) this.turns.add(line.turn);
    if ('answer' in line) this.answers.set(line.step, line);
  }
}

/** The last line of a killed process may be cut. */
function parsed(line: string): Line | null {
  try {
    return line === '' ? null : (JSON.parse(line) as Line);
  } catch {
    return null;
  }
}
