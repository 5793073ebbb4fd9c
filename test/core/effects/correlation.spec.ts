import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Callback, correlate, type KnownEffect } from '../../../src/core/effects/correlation.js';
import { type EffectState, UNDECIDED, WINDOW } from '../../../src/core/effects/effect.js';
import { canonicalJson, effectKey, evidenceHash, requestHash, scopeHash } from '../../../src/core/effects/evidence.js';
import { SCOPE } from './writes.js';

const NOW = 1_800_000_000_000;
const SCOPES = [scopeHash(SCOPE), scopeHash({ ...SCOPE, kind: 'state' })] as const;
const evidence = (id: string) => evidenceHash(SCOPE, { comment: id });

const subject = fc.constantFrom(null, { namespace: 'n', key: 'A' }, { namespace: 'n', key: 'B' });
const marker = fc.constantFrom('m1', 'm2');
const instant = fc.integer({ min: NOW - 2 * WINDOW.afterMs, max: NOW + 2 * WINDOW.afterMs });
const DECIDED = ['confirmed', 'failed', 'reconciled_absent'] as const;

const effects: fc.Arbitrary<KnownEffect[]> = fc
  .array(
    fc.record({
      state: fc.constantFrom<EffectState>(...UNDECIDED, ...DECIDED),
      scope: fc.constantFrom(...SCOPES),
      subject,
      marker: fc.option(marker),
      comment: fc.constantFrom('c1', 'c2', 'c3'),
      attemptedAt: instant,
    }),
    { maxLength: 6 },
  )
  .map((drawn) =>
    drawn.map(({ comment, ...effect }, i) => ({
      ...effect,
      id: `e${i}`,
      evidence: effect.state === 'confirmed' ? evidence(comment) : null,
    })),
  );

const callbacks: fc.Arbitrary<Callback> = fc.record({
  scope: fc.constantFrom(...SCOPES),
  subject,
  evidence: fc.constantFrom('c1', 'c2', 'c3').map(evidence),
  marker: fc.option(fc.option(marker), { nil: undefined }),
  at: instant,
});

const always = (property: (callback: Callback, known: KnownEffect[]) => void) =>
  fc.assert(fc.property(callbacks, effects, property), { numRuns: 5000 });

describe('EFF-2 whether an event is our own doing', () => {
  it('does not depend on the order of the effects, but for which one of several proofs is named', () => {
    always((callback, known) => {
      const forth = correlate(callback, known);
      const back = correlate(callback, known.toReversed());
      if (forth.verdict === 'hold' || forth.verdict === 'foreign') {
        expect(back.verdict).toBe(forth.verdict);
        expect(back.effects.toSorted()).toEqual(forth.effects.toSorted());
      } else expect(['proof', 'echo']).toContain(back.verdict);
    });
  });

  it('is held only for undecided effects of its scope and subject, within the window around each of their attempts', () => {
    always((callback, known) => {
      const { verdict, effects: ids } = correlate(callback, known);
      if (verdict !== 'hold') return;
      for (const id of ids) {
        const effect = known.find((each) => each.id === id)!;
        expect(UNDECIDED).toContain(effect.state);
        expect(effect.scope.equals(callback.scope)).toBe(true);
        if (effect.subject) expect(callback.subject).toEqual(effect.subject);
        expect(callback.at - effect.attemptedAt).toBeGreaterThanOrEqual(-WINDOW.beforeMs);
        expect(callback.at - effect.attemptedAt).toBeLessThanOrEqual(WINDOW.afterMs);
      }
    });
  });

  it('is never held for a marked write when it shows another id or none, and never foreign when it shows its own', () => {
    always((callback, known) => {
      const { verdict, effects: ids } = correlate(callback, known);
      const marked = known.filter((effect) => effect.marker !== null && callback.marker !== undefined);
      if (verdict === 'hold') expect(marked.filter(({ id }) => ids.includes(id))).toEqual([]);
      const isOwn = marked.some(
        (effect) =>
          effect.marker === callback.marker &&
          effect.scope.equals(callback.scope) &&
          (effect.subject === null || effect.subject.key === callback.subject?.key),
      );
      if (isOwn) expect(['proof', 'echo']).toContain(verdict);
    });
  });

  it('is foreign where no effect is undecided and none is proved', () => {
    always((callback, known) => {
      const failed = known.filter(({ state }) => state === 'failed').map((effect) => ({ ...effect, marker: null }));
      expect(correlate(callback, failed).verdict).toBe('foreign');
    });
  });
});

describe('EFF-2 evidence', () => {
  it('is the same whatever the order of its ids, and another for each other id, kind and action', () => {
    const hash = evidenceHash(SCOPE, { comment: 'c', issue: 'i' });
    expect(evidenceHash(SCOPE, { issue: 'i', comment: 'c' })).toEqual(hash);
    const others = [
      evidenceHash(SCOPE, { comment: 'i', issue: 'c' }),
      evidenceHash(SCOPE, { comment: 'c', issue: 'i', revision: 'r' }),
      evidenceHash({ ...SCOPE, kind: 'state' }, { comment: 'c', issue: 'i' }),
      evidenceHash({ ...SCOPE, action: 'update' }, { comment: 'c', issue: 'i' }),
    ];
    expect(new Set([hash, ...others].map((each) => each.toString('hex'))).size).toBe(5);
    expect(hash).toHaveLength(32);
  });

  it('is hashed over canonical JSON', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'ü' }], a: true, x: undefined })).toBe('{"a":true,"b":[1,{"c":"ü","d":null}]}');
  });
});

describe('EFF-1 EFF-7 what is derived from the key of the installation', () => {
  const [one, two] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

  it('is always the same for one effect, and a UUID of version 4 that the effect does not give away', () => {
    expect(effectKey(one, 'e1')).toBe(effectKey(one, 'e1'));
    expect(effectKey(one, 'e1')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set([effectKey(one, 'e1'), effectKey(one, 'e2'), effectKey(two, 'e1')]).size).toBe(3);
  });

  it('tells equal requests, and tells nobody without the key what they were', () => {
    const hash = requestHash(one, 'comment', { text: 'yes', issue: 'A' });
    expect(requestHash(one, 'comment', { issue: 'A', text: 'yes' })).toEqual(hash);
    expect(requestHash(two, 'comment', { text: 'yes', issue: 'A' })).not.toEqual(hash);
    expect(requestHash(one, 'state', { text: 'yes', issue: 'A' })).not.toEqual(hash);
  });
});
