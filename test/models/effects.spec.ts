import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AdmissibleEvent } from '../../src/core/admission/plan-admission.js';
import { closing, comment, event, opened, prompt, route } from '../core/builders.js';
import { type Core, clearLedger, eachCore } from '../core/core.js';
import { callback, confirm, execute, lose, refuse, stateOf, type Write } from '../core/effects/writes.js';
import { expectSound } from '../core/invariants.js';
import { assertModel, modelTimeout } from './assert-model.js';

const STEPS = [
  ...['begin', 'begin', 'mark', 'confirm', 'confirm', 'refuse', 'lose', 'again'],
  ...['echo', 'echo', 'echo', 'shown', 'foreign', 'foreign', 'unmarked', 'comment', 'repeat', 'close', 'reopen', 'work', 'work'],
] as const;
const SUBJECTS = ['A', 'B'];

type Step = (typeof STEPS)[number];

/** A write as it is believed to be. `evidence`: the comment that it left, once that is known. */
interface Effect {
  readonly write: Write;
  readonly key: string;
  readonly marker: string | null;
  readonly comment: string;
  state: 'executing' | 'outcome_unknown' | 'confirmed' | 'failed' | 'reconciled_absent';
  evidence: string | null;
}

/** A delivery as it is believed to be. */
interface Entry {
  readonly isPrompt: boolean;
  readonly comment: string | null;
  readonly waitsFor: Set<Effect>;
  fate: 'held' | 'pending' | 'suppressed' | 'retired' | 'superseded' | 'done' | 'lifecycle';
}

const isUndecided = ({ state }: Effect) => state === 'executing' || state === 'outcome_unknown';

/** What ought to become of writes and events: no database, no hashes, no locks. */
class Believed {
  readonly effects: Effect[] = [];
  readonly entries = new Map<string, Entry[]>(SUBJECTS.map((key) => [key, []]));
  readonly terminal = new Set<string>();

  of(key: string): Entry[] {
    return this.entries.get(key) ?? [];
  }

  settle(effect: Effect, state: Effect['state'], evidence: string | null): void {
    effect.state = state;
    effect.evidence = evidence;
    for (const entry of this.of(effect.key)) {
      if (!entry.waitsFor.delete(effect)) continue;
      const isOurs = evidence !== null && entry.comment === evidence;
      // What is proved is no other's, whatever has become of it meanwhile.
      if (isOurs) entry.waitsFor.clear();
      if (entry.fate === 'held' && isOurs) entry.fate = 'suppressed';
      else if (entry.fate === 'held' && entry.waitsFor.size === 0) entry.fate = 'pending';
    }
  }

  /** The disposition that the event should have. `marker` undefined: it would not show one. */
  admit(key: string, about: string, marker: string | null | undefined): string {
    const effects = this.effects.filter((effect) => effect.key === key);
    const shows = ({ marker: own }: Effect) => own !== null && marker !== undefined;
    const own = effects.find((effect) => (shows(effect) ? effect.marker === marker : effect.evidence === about));
    if (own && isUndecided(own)) this.settle(own, 'confirmed', about);
    if (own) return 'suppressed';
    const waitsFor = new Set(effects.filter((effect) => isUndecided(effect) && !shows(effect)));
    return this.deliver(key, { isPrompt: true, comment: about, waitsFor, fate: waitsFor.size > 0 ? 'held' : 'pending' });
  }

  deliver(key: string, entry: Entry): string {
    if (this.terminal.has(key)) return 'ignored';
    this.of(key).push(entry);
    return entry.fate === 'held' ? 'held' : 'routed';
  }

  close(key: string): void {
    for (const entry of this.of(key))
      if (entry.fate === 'held' || entry.fate === 'pending') entry.fate = entry.isPrompt ? 'retired' : 'superseded';
    this.terminal.add(key);
    this.of(key).push({ isPrompt: false, comment: null, waitsFor: new Set(), fate: 'pending' });
  }

  /** What a worker may take of a conversation: its head, and what may come with it. */
  claimable(key: string): Entry[] {
    const waiting = this.of(key).filter(({ fate }) => fate === 'held' || fate === 'pending');
    const end = waiting.findIndex(({ fate, isPrompt }) => fate === 'held' || !isPrompt);
    return waiting[0]?.isPrompt === false ? waiting.slice(0, 1) : waiting.slice(0, end === -1 ? waiting.length : end);
  }
}

/** The same steps, taken by the store and by the belief about it. */
class History {
  private readonly believed = new Believed();
  private readonly sent = new Map<string, { event: AdmissibleEvent; disposition: string }>();
  private count = 0;

  constructor(private readonly core: Core) {}

  async take(step: Step, key: string, choice: number): Promise<void> {
    this.count += 1;
    const own = this.believed.effects.filter((effect) => effect.key === key);
    const effect = own[choice % Math.max(1, own.length)];
    if (step === 'begin' || step === 'mark') return this.begin(key, step === 'mark' ? `marker-${this.count}` : null);
    if (step === 'foreign') return this.send(key, `person-${this.count}`, undefined);
    if (step === 'unmarked') return this.send(key, `person-${this.count}`, choice % 2 === 0 ? null : 'another');
    if (step === 'comment' || step === 'close' || step === 'reopen') return this.happen(step, key);
    if (step === 'repeat') return this.repeat(key);
    if (step === 'work') return this.work();
    if (effect === undefined) return;
    if (step === 'echo') return this.send(key, effect.comment, effect.marker === null ? undefined : effect.marker);
    // What does not show its marker, though its write had one, is known by what the answer said alone.
    if (step === 'shown') return this.send(key, effect.comment, undefined);
    await this.end(step, effect);
  }

  async check(): Promise<void> {
    await expectSound(this.core.database);
    for (const { write, state } of this.believed.effects) expect(await stateOf(this.core, write)).toBe(state);
    for (const key of SUBJECTS) {
      const rows = await this.core.rows<{ state: string; outcome: string | null }>(
        'select d.state, d.outcome from deliveries d join conversations c on c.id = d.conversation where c.key = ? order by d.sequence',
        key,
      );
      expect(rows.map(({ state, outcome }) => outcome ?? state)).toEqual(this.believed.of(key).map(({ fate }) => fate));
    }
    const waiting = this.believed.effects.flatMap((effect) =>
      SUBJECTS.flatMap((key) => this.believed.of(key).filter(({ waitsFor }) => waitsFor.has(effect))),
    );
    expect(await this.core.count('effect_candidates')).toBe(waiting.length);
  }

  private async begin(key: string, marker: string | null): Promise<void> {
    const write = await execute(this.core, key, { marker });
    this.believed.effects.push({ write, key, marker, comment: `ours-${this.count}`, state: 'executing', evidence: null });
  }

  private async send(key: string, about: string, marker: string | null | undefined): Promise<void> {
    const event = callback(key, about, marker === undefined ? {} : { marker });
    const disposition = this.believed.admit(key, about, marker);
    expect(await this.core.admit(event)).toMatchObject({ duplicate: false, disposition });
    this.sent.set(key, { event, disposition });
  }

  /** The provider sends it again, whatever has become of it meanwhile. */
  private async repeat(key: string): Promise<void> {
    const last = this.sent.get(key);
    if (last) expect(await this.core.admit(last.event)).toMatchObject({ duplicate: true, disposition: last.disposition });
  }

  private async happen(what: 'comment' | 'close' | 'reopen', key: string): Promise<void> {
    if (what === 'close') {
      await this.core.admit(closing(key, this.count));
      return this.believed.close(key);
    }
    if (what === 'reopen') this.believed.terminal.delete(key);
    const observed = what === 'comment' ? comment(key) : event(prompt(key, 'again', { observation: opened(this.count) }));
    const disposition = this.believed.deliver(key, { isPrompt: true, comment: null, waitsFor: new Set(), fate: 'pending' });
    expect(await this.core.admit(observed)).toMatchObject({ disposition });
  }

  private async end(step: 'confirm' | 'refuse' | 'lose' | 'again' | string, effect: Effect): Promise<void> {
    const { write, comment: about } = effect;
    const was = effect.state;
    if (step === 'lose') {
      expect((await lose(this.core, write)).isNews).toBe(was === 'executing');
      if (was === 'executing') effect.state = 'outcome_unknown';
    } else if (step === 'refuse') {
      expect((await refuse(this.core, write)).isNews).toBe(isUndecided(effect));
      if (isUndecided(effect)) this.believed.settle(effect, was === 'executing' ? 'failed' : 'reconciled_absent', null);
    } else {
      expect((await confirm(this.core, write, about)).isNews).toBe(isUndecided(effect));
      if (isUndecided(effect)) this.believed.settle(effect, 'confirmed', about);
      else effect.evidence ??= about;
    }
  }

  /** All that may be claimed is, as it is believed to be, and done. */
  private async work(): Promise<void> {
    const claims = await this.core.claim({ coalesce: () => 100, widest: 100 });
    const taken = SUBJECTS.map((key) => this.believed.claimable(key)).filter((entries) => entries.length > 0);
    expect(claims.map(({ entries }) => entries.length).toSorted()).toEqual(taken.map(({ length }) => length).toSorted());
    for (const claim of claims) await this.core.finish(claim);
    for (const entries of taken) for (const entry of entries) entry.fate = 'done';
  }
}

eachCore('any history of writes, answers and callbacks', (open) => {
  it(
    'EFF-2 holds, suppresses and releases as a few lines without a database say',
    async () => {
      const core = open(route());
      const step = fc.tuple(fc.constantFrom(...STEPS), fc.constantFrom(...SUBJECTS), fc.nat(3));
      const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (taken) => {
        await clearLedger(core.database);
        const history = new History(core);
        for (const each of taken) await history.take(...each);
        await history.check();
      });
      await assertModel(property, core.database.dialect.name === 'sqlite' ? 150 : 15);
    },
    modelTimeout(120_000),
  );
});
