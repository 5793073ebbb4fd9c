import { expect } from '@jest/globals';
import { until } from '../server-process.js';
import type { Gates } from './gates.js';
import type { House } from './house.js';
import { GO_AHEAD, type Letter, post, type Said, type Stage, WORDS } from './stage.js';

interface Approval {
  readonly id: string;
  readonly conversation: string;
  readonly state: string;
  readonly reason: string | null;
}

const NOBODYS = 'A'.repeat(24);

/** One conversation at one provider, and everybody who would like to decide in it. */
export class WrongHands {
  private conversation = '';
  /** What is waited for. */
  private step = 'the first words';

  constructor(
    private readonly house: House,
    private readonly stage: Stage,
    private readonly gates: Gates,
    private readonly signal: AbortSignal,
  ) {}

  /** What became of what was asked, in order. */
  async tell(): Promise<readonly string[]> {
    try {
      return await this.told();
    } catch (error) {
      const { stage, house } = this;
      const seen = [...stage.thread().map(({ by, text }) => `  ${by}: ${text}`), ...(stage.whispers() ?? [])];
      const message = `${stage.name}, ${this.step}: ${(error as Error).message}`;
      throw new Error(`${message}\nthread:\n${seen.join('\n')}\nserver:\n${house.said.slice(-3000)}`, { cause: error });
    }
  }

  private async told(): Promise<readonly string[]> {
    await this.begin();
    const { questions, deleteThread } = this.stage;
    for (const question of questions) {
      await this.isAsked(question);
      await this.nobodyDecides();
      if (question === questions[0] && deleteThread !== null) await this.move(question, deleteThread);
      if (question === questions.at(-1)) await this.house.alter((await this.pending()).id);
      await this.twoClicks();
    }
    this.step = 'the ends';
    await until(async () => (await this.approvals()).every(({ state }) => state !== 'pending' && state !== 'approved'), this.signal);
    expect([this.answers(/^Approved: /), this.answers(/^Already decided by /)].map(({ length }) => length)).toEqual([
      questions.length,
      questions.length,
    ]);
    return (await this.approvals()).map(({ state, reason }) => (reason === null ? state : `${state} (${reason})`));
  }

  private async begin(): Promise<void> {
    const { stage, house, gates } = this;
    this.conversation = (await stage.open(house)).deliveries?.[0]?.conversation ?? '';
    for (const point of ['looking', 'working', 'reporting']) gates.open(this.conversation, point);
    await this.shows((text) => text === WORDS.first);
    await stage.say(house, GO_AHEAD);
  }

  /** Forged, by a stranger, about something else, and in a thread of nobody. */
  private async nobodyDecides(): Promise<void> {
    const { stage, house } = this;
    const { body, ...forged } = stage.decide({ decision: 'approve' });
    await expect(post(house, { ...forged, body: `${body} ` })).rejects.toThrow(/was answered 401/);
    await this.isAnswered({ isStranger: true }, /may not decide about this/);
    await this.isAnswered({ approval: NOBODYS }, /is not known here, or has expired/);
    if (stage.whispers() !== null) await this.isAnswered({ isElsewhere: true }, /belongs to no conversation here/);
    if (stage.strangersCommand !== null) await this.isTold(stage.strangersCommand('/reset'), /may not do that here/);
    expect((await this.pending()).state).toBe('pending');
  }

  /** The thread is deleted: what waits is asked in the next one, and the buttons of the one before are worth nothing. */
  private async move(question: RegExp, deleteThread: () => void): Promise<void> {
    const { stage, house } = this;
    const before = stage.decide({ decision: 'approve' });
    deleteThread();
    await house.ask(`/v1/controls/${this.conversation}/reconcile`, 'POST');
    await this.isAsked(question);
    await this.isTold(before, /belongs to no conversation here|was asked in another thread/);
    expect((await this.pending()).state).toBe('pending');
  }

  /** Both are answered, one is too late; and the request that was first is worth nothing a second time. */
  private async twoClicks(): Promise<void> {
    const { stage, house } = this;
    const { id } = await this.pending();
    const both = [stage.decide({ decision: 'approve' }), stage.decide({ decision: 'approve' })] as const;
    const answered = this.answers(/^Approved: /).length;
    this.step = 'both clicks';
    const late = this.answers(/^Already decided by /).length;
    await Promise.all(both.map((letter) => post(house, letter)));
    await until(() => this.answers(/^Already decided by /).length === late + 1, this.signal);
    await until(() => this.answers(/^Approved: /).length === answered + 1, this.signal);
    // Discord is answered in its own way.
    expect([true, undefined]).toContain((await post(house, both[0])).duplicate);
    expect((await this.approvals()).find((each) => each.id === id)?.state).toMatch(/approved|executed|failed/);
  }

  private isAnswered(said: Partial<Said>, answer: RegExp): Promise<void> {
    return this.isTold(this.stage.decide({ decision: 'approve', ...said }), answer);
  }

  private async isTold(letter: Letter, answer: RegExp): Promise<void> {
    const before = this.answers(answer).length;
    this.step = `the answer ${answer}`;
    await post(this.house, letter);
    await until(() => this.answers(answer).length === before + 1, this.signal);
  }

  /** What people were told, alone or in the thread. */
  private answers(fits: RegExp): readonly string[] {
    const texts = this.stage.whispers() ?? this.stage.thread().map(({ text }) => text);
    return texts.filter((text) => fits.test(text));
  }

  private isAsked(question: RegExp): Promise<void> {
    this.step = `the question ${question}`;
    return this.shows((text) => /^A person is asked:/.test(text.replaceAll('**', '')) && question.test(text));
  }

  private shows(fits: (text: string) => boolean): Promise<void> {
    return until(() => this.stage.thread().some(({ by, text }) => by === 'agent' && fits(text)), this.signal);
  }

  private async approvals(): Promise<readonly Approval[]> {
    const { items } = await this.house.ask<{ items: readonly Approval[] }>('/v1/approvals');
    return items.filter(({ conversation }) => conversation === this.conversation).toReversed();
  }

  private async pending(): Promise<Approval> {
    const newest = (await this.approvals()).at(-1);
    if (newest === undefined) throw new Error('nobody is asked');
    return newest;
  }
}
