import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Claim } from '../../src/core/deliveries/claim.js';
import { NO_RULES } from '../../src/core/limits/rules.js';
import type { WhileBusy } from '../../src/core/routing/route.js';
import { comment, route } from '../core/builders.js';
import { type Core, clearLedger, delivered, done, eachCore } from '../core/core.js';
import { expectSound } from '../core/invariants.js';
import { assertModel, modelTimeout } from './assert-model.js';

const MODES: readonly WhileBusy[] = ['enqueue', 'collect', 'steer', 'interrupt', 'reject'];
const STEPS = [
  ...MODES,
  ...MODES,
  'claim',
  'claim',
  'claim',
  'finish',
  'finish',
  'cut short',
  'lose',
  'quiet',
  'stop',
  'pause',
  'resume',
  'reset',
] as const;
const SUBJECTS = ['A', 'B'];
const AT_ONCE = { maxAttempts: 3, backoff: { firstMs: 0, factor: 1, maxMs: 0 } };
const MOST_LOSSES = 5;
const ORG = 'default';

type Step = (typeof STEPS)[number];

function isMode(step: Step): step is WhileBusy {
  return MODES.some((mode) => mode === step);
}

/** What a conversation is believed to be. `bound`: up to where its claim goes, with what has joined it. */
class Believed {
  id = '';
  count = 0;
  open: number[] = [];
  claim: Claim | null = null;
  bound = 0;
  isPaused = false;
  isQuiet = true;
  readonly collecting = new Set<number>();
  readonly lost = new Map<number, number>();

  add(mode: WhileBusy): void {
    const joins = mode === 'steer' && this.claim !== null && !this.isPaused && this.bound === this.count;
    this.open.push(++this.count);
    if (joins) this.bound = this.count;
    if (mode !== 'collect') return;
    this.collecting.add(this.count);
    this.isQuiet = false;
  }

  complete(from: number, to: number): void {
    this.open = this.open.filter((sequence) => sequence < from || sequence > to);
    this.claim = null;
  }

  get isClaimable(): boolean {
    const [head] = this.open;
    if (head === undefined || this.claim !== null || this.isPaused) return false;
    return this.isQuiet || !this.collecting.has(head) || this.lost.has(head);
  }
}

/** The same steps, taken by the store and by the belief about it. */
class History {
  private readonly believed = new Map(SUBJECTS.map((key) => [key, new Believed()]));

  constructor(private readonly core: Core) {}

  async take(step: Step, key: string): Promise<void> {
    const of = this.believed.get(key) ?? new Believed();
    if (isMode(step)) return this.send(step, key, of);
    if (step === 'claim') return this.claim();
    if (of.id === '') return;
    if (step === 'stop' || step === 'pause' || step === 'resume' || step === 'reset') return this.operate(step, of);
    if (step === 'quiet') {
      await this.core.makeQuiet(of.id);
      of.isQuiet = true;
      return;
    }
    if (of.claim !== null) await this.end(step, of, of.claim);
  }

  async check(): Promise<void> {
    await expectSound(this.core.database);
    for (const of of this.believed.values()) {
      if (of.id === '') continue;
      const rows = await this.core.deliveries(of.id);
      expect(rows.map(({ sequence }) => sequence)).toEqual(Array.from({ length: of.count }, (_, i) => i + 1));
      expect(rows.filter(({ outcome }) => outcome === null).map(({ sequence }) => sequence)).toEqual(of.open);
      const { owner, token, paused, claim_to } = await this.core.queue(of.id);
      expect({ owner, paused }).toEqual({ owner: of.claim ? this.core.owner : null, paused: Number(of.isPaused) });
      if (of.claim) expect({ token, claim_to }).toEqual({ token: of.claim.token, claim_to: of.bound });
    }
  }

  private async send(mode: WhileBusy, key: string, of: Believed): Promise<void> {
    const answer = await this.core.admit({ ...comment(key), source: mode });
    if (mode === 'reject' && of.claim !== null) return expect(answer).toMatchObject({ disposition: 'ignored', reason: 'busy' });
    if (mode === 'interrupt' && of.claim !== null) of.complete(of.claim.from, of.bound);
    of.add(mode);
    of.id = delivered(answer).conversation;
    expect(delivered(answer).sequence).toBe(of.count);
  }

  /** Exactly what may be claimed is, from its head and without a gap. */
  private async claim(): Promise<void> {
    const claims = await this.core.claim({ coalesce: () => 3, widest: 3, rules: () => ({ ...NO_RULES, canAppend: true }) });
    const claimable = [...this.believed.values()].filter(({ isClaimable }) => isClaimable);
    expect(claims.map(({ conversation }) => conversation).sort()).toEqual(claimable.map(({ id }) => id).sort());
    for (const claim of claims) {
      const of = claimable.find(({ id }) => id === claim.conversation);
      const sequences = claim.entries.map(({ sequence }) => sequence);
      expect(sequences).toEqual(of?.open.slice(0, sequences.length));
      Object.assign(of ?? {}, { claim, bound: claim.to, isQuiet: true });
    }
  }

  /** `cut short`: the turn ends without what joined it, which is next then. */
  private async end(step: 'finish' | 'cut short' | 'lose', of: Believed, claim: Claim): Promise<void> {
    const losses = of.lost.get(claim.from) ?? 0;
    if (step === 'lose' && losses < MOST_LOSSES) {
      of.lost.set(claim.from, losses + 1);
      await this.core.endAll([{ claim, how: 'interrupted', failure: 'lost', turn: null }], AT_ONCE);
      of.claim = null;
    }
    if (step === 'lose') return;
    const to = step === 'finish' ? of.bound : claim.to;
    expect(await this.core.endAll([done({ ...claim, to })], AT_ONCE)).toEqual(['ended']);
    of.complete(claim.from, to);
  }

  /** What is not possible is refused, and changes nothing. */
  private async operate(step: 'stop' | 'pause' | 'resume' | 'reset', of: Believed): Promise<void> {
    const isPossible = { stop: of.claim !== null, pause: !of.isPaused, resume: of.isPaused, reset: true }[step];
    const call = this.core.operations[step](ORG, of.id, 'ada');
    if (!isPossible) return expect(call).rejects.toMatchObject({ status: 409 });
    const stale = of.claim;
    await call;
    if (step === 'stop') of.complete(of.claim?.from ?? 0, of.bound);
    if (step === 'pause' || step === 'resume') of.isPaused = step === 'pause';
    if (step === 'reset') Object.assign(of, { open: [], claim: null, isQuiet: true });
    if (of.claim === null && stale !== null) expect(await this.core.finish(stale)).toBe('stale');
  }
}

eachCore('any history of two conversations that are steered', (open) => {
  it(
    'FIF-8 RST-1 keeps order, loses nothing and gives nothing twice',
    async () => {
      const core = open(...MODES.map((whileBusy) => route({ name: whileBusy, source: whileBusy, whileBusy, debounceMs: 600_000 })));
      const steps = fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.constantFrom(...SUBJECTS)), { minLength: 5, maxLength: 50 });
      const property = fc.asyncProperty(steps, async (taken) => {
        await clearLedger(core.database);
        const history = new History(core);
        for (const [step, key] of taken) await history.take(step, key);
        await history.check();
      });
      await assertModel(property, core.database.dialect.name === 'sqlite' ? 200 : 15);
    },
    modelTimeout(60_000),
  );
});
