import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Claim } from '../../src/core/deliveries/claim.js';
import { closing, comment, event, opened, prompt, route } from '../core/builders.js';
import { type Core, clearLedger, delivered, done, eachCore, SAID } from '../core/core.js';
import { expectSound } from '../core/invariants.js';
import { assertModel, modelTimeout } from './assert-model.js';

const STEPS = [
  'admit',
  'admit',
  'admit',
  'burst',
  'claim',
  'claim',
  'finish',
  'finish',
  'fail',
  'interrupt',
  'stale',
  'close',
  'reopen',
  'terminate',
  'open',
  'stop',
  'skip',
  'abandon',
] as const;
const AT_ONCE = { maxAttempts: 3, backoff: { firstMs: 0, factor: 1, maxMs: 0 } };
const SUBJECTS = ['A', 'B', 'C'];

type Step = (typeof STEPS)[number];

/** What a conversation is believed to be: which of its deliveries are open, in order, and who works on which. */
class Believed {
  id = '';
  count = 0;
  open: number[] = [];
  isTerminal = false;
  claim: Claim | null = null;

  complete(from: number, to: number): void {
    this.open = this.open.filter((sequence) => sequence < from || sequence > to);
    this.claim = null;
  }

  end(ownRow: boolean): void {
    this.open = [];
    this.claim = null;
    this.isTerminal = true;
    if (ownRow) this.open.push(++this.count);
  }
}

/** The same steps, taken by the store and by the belief about it. */
class History {
  private readonly believed = new Map(SUBJECTS.map((key) => [key, new Believed()]));
  private second = 0;

  constructor(private readonly core: Core) {}

  async take(step: Step, key: string): Promise<void> {
    const of = this.believed.get(key) ?? new Believed();
    if (step === 'admit') return this.admit(key, of, 1);
    if (step === 'burst') return this.admit(key, of, 4);
    if (step === 'claim') return this.claim();
    if (of.id === '') return;
    if (step === 'close' || step === 'reopen') return this.observe(step, key, of);
    if (step === 'terminate' || step === 'open' || step === 'stop' || step === 'skip' || step === 'abandon') return this.operate(step, of);
    await this.end(step, of);
  }

  /** The store is sound, and is what it is believed to be. */
  async check(): Promise<void> {
    await expectSound(this.core.database);
    for (const { id, count, open, isTerminal, claim } of this.believed.values()) {
      if (id === '') continue;
      const rows = await this.core.deliveries(id);
      expect(rows.map(({ sequence }) => sequence)).toEqual(Array.from({ length: count }, (_, i) => i + 1));
      expect(rows.filter(({ outcome }) => outcome === null).map(({ sequence }) => sequence)).toEqual(open);
      expect((await this.core.conversation(id)).state).toBe(isTerminal ? 'terminal' : 'open');
      const { owner, token } = await this.core.queue(id);
      expect(owner).toBe(claim ? this.core.owner : null);
      if (claim) expect(token).toBe(claim.token);
    }
  }

  private async admit(key: string, of: Believed, count: number): Promise<void> {
    const answers = await Promise.all(Array.from({ length: count }, () => this.core.admit(comment(key))));
    for (const answer of answers) {
      expect(answer.reason).toBe(of.isTerminal ? 'terminal' : null);
      if (of.isTerminal) continue;
      of.id = delivered(answer).conversation;
      of.open.push(++of.count);
      expect(delivered(answer).sequence).toBe(of.count);
    }
  }

  /** Whatever is claimed begins at its head, without a gap, and was not claimed. */
  private async claim(): Promise<void> {
    for (const claim of await this.core.claim({ coalesce: () => 3, widest: 3 })) {
      const of = [...this.believed.values()].find(({ id }) => id === claim.conversation);
      const sequences = claim.entries.map(({ sequence }) => sequence);
      expect(of?.claim).toBeNull();
      expect(sequences[0]).toBe(of?.open[0]);
      expect(sequences).toEqual(of?.open.slice(0, sequences.length));
      if (of) of.claim = claim;
    }
  }

  private async end(step: 'finish' | 'fail' | 'interrupt' | 'stale', of: Believed): Promise<void> {
    const { claim } = of;
    if (claim === null) return;
    const { from, to } = claim;
    if (step === 'stale') expect(await this.core.endAll([done({ ...claim, token: claim.token - 1 })], AT_ONCE)).toEqual(['stale']);
    if (step === 'finish') {
      expect(await this.core.endAll([done(claim)], AT_ONCE)).toEqual(['ended']);
      of.complete(from, to);
    }
    if (step === 'interrupt') await this.core.endAll([{ claim, how: 'interrupted', failure: 'lost', turn: null }], AT_ONCE);
    if (step === 'fail')
      await this.core.endAll([{ claim, how: 'failed', failure: 'no', onDead: 'skip', turn: { ...SAID, state: 'failed' } }], AT_ONCE);
    if (step === 'fail' && claim.head.attempts + 1 === AT_ONCE.maxAttempts) of.complete(from, from);
    if (step === 'fail' || step === 'interrupt') of.claim = null;
  }

  private async observe(step: 'close' | 'reopen', key: string, of: Believed): Promise<void> {
    this.second += 1;
    if (step === 'close') {
      await this.core.admit(closing(key, this.second));
      return of.end(true);
    }
    await this.core.admit(event(prompt(key, 'reopened', { observation: opened(this.second) })));
    of.isTerminal = false;
    of.open.push(++of.count);
  }

  /** What is not possible is refused, and changes nothing. */
  private async operate(step: 'terminate' | 'open' | 'stop' | 'skip' | 'abandon', of: Believed): Promise<void> {
    const { operations } = this.core;
    const { id, claim } = of;
    const [head] = of.open;
    const calls = {
      terminate: {
        call: () => operations.terminate('default', id, 'enough', 'ada'),
        isPossible: !of.isTerminal,
        believe: () => of.end(false),
      },
      open: {
        call: () => operations.reopen('default', id, 'ada'),
        isPossible: of.isTerminal,
        believe: () => Object.assign(of, { isTerminal: false }),
      },
      stop: {
        call: () => operations.stop('default', id, 'ada'),
        isPossible: claim !== null,
        believe: () => claim && of.complete(claim.from, claim.to),
      },
      skip: {
        call: () => operations.skip('default', `${id}.${head ?? 1}`, 'ada', null),
        isPossible: head !== undefined && claim === null,
        believe: () => of.complete(head ?? 0, head ?? 0),
      },
      abandon: {
        call: () => operations.abandon('default', `${id}.${head ?? 1}`, 'ada'),
        isPossible: claim !== null,
        believe: () => Object.assign(of, { claim: null }),
      },
    };
    const { call, isPossible, believe } = calls[step];
    if (!isPossible) return expect(call()).rejects.toMatchObject({ status: 409 });
    await call();
    believe();
  }
}

eachCore('any history of three conversations', (open) => {
  it(
    'FIF-2 keeps order, one claim at a time, and counts that are those of the rows',
    async () => {
      const core = open(route());
      const steps = fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.constantFrom(...SUBJECTS)), { minLength: 5, maxLength: 40 });
      const property = fc.asyncProperty(steps, async (taken) => {
        await clearLedger(core.database);
        const history = new History(core);
        for (const [step, key] of taken) await history.take(step, key);
        await history.check();
      });
      await assertModel(property, core.database.dialect.name === 'sqlite' ? 150 : 15);
    },
    modelTimeout(60_000),
  );
});
