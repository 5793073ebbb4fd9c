import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Parsed } from 'throughline/plugin';
import { EVENTS } from '../../../plugins/github/github.events.js';
import { bodies, connection, delivery, parse, read } from './deliveries.js';

const LONE_SURROGATE = /\p{Cs}/u;

const eventKeys = Object.entries(EVENTS).flatMap(([event, { actions }]) =>
  Object.keys(actions).map((action) => (action === '' ? event : `${event}.${action === '*' ? 'anything' : action}`)),
);
const samples = bodies.map((file) => ({ eventKey: read(delivery(file)).eventKey, payload: delivery(file).payload }));

/** What the host relies on, whatever the payload was. */
function expectWellFormed(parsed: Parsed): void {
  expect(['prompt', 'edit', 'withdrawal', 'lifecycle', 'ignored', 'recorded']).toContain(parsed.kind);
  if (parsed.subject !== null) expect(parsed.subject.key).toMatch(/^\d{1,16}#\d{1,16}$/);
  if ('text' in parsed) expect(parsed.text.trim()).not.toBe('');
  if ('messageKey' in parsed && parsed.messageKey !== undefined) expect(parsed.messageKey.length).toBeLessThanOrEqual(255);
  if (parsed.kind === 'lifecycle') expect(parsed.observation.state).toBe('terminal');
  if (parsed.observation?.revision) expect(parsed.observation.revision).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect([...(parsed.title ?? '')].length).toBeLessThanOrEqual(450);
  expect(Object.values(parsed)).not.toContain(undefined);
}

/** A copy of a recorded body in which some values, found by the path of their keys, are another. */
function mutated(payload: unknown, choices: readonly number[], value: unknown): unknown {
  if (typeof payload !== 'object' || payload === null || choices.length === 0) return value;
  const entries = Object.entries(payload);
  const [choice = 0, ...rest] = choices;
  const chosen = choice % Math.max(entries.length, 1);
  const copy = entries.map(([key, inner], index) => [key, index === chosen ? mutated(inner, rest, value) : inner] as const);
  return Array.isArray(payload) ? copy.map(([, inner]) => inner) : Object.fromEntries(copy);
}

describe('the parser of GitHub events', () => {
  it('ING-4 answers for any JSON under any event key', () => {
    const key = fc.oneof(fc.constantFrom(...eventKeys), fc.string());
    fc.assert(
      fc.property(key, fc.jsonValue({ maxDepth: 5 }), (eventKey, payload) => {
        expectWellFormed(parse({ connection: connection(), eventKey, payload }));
      }),
      { numRuns: 300 },
    );
  });

  it('ING-4 answers for recorded bodies in which any value is another', () => {
    const sample = fc.constantFrom(...samples);
    const path = fc.array(fc.nat(40), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(sample, path, fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(...eventKeys), (event, choices, value, otherKey) => {
        const payload = mutated(event.payload, choices, value);
        expectWellFormed(parse({ connection: connection(), eventKey: event.eventKey, payload }));
        expectWellFormed(parse({ connection: connection(), eventKey: otherKey, payload }));
      }),
      { numRuns: 400 },
    );
  });

  it('ING-4 gives the same answer every time, and leaves the payload alone', () => {
    for (const { eventKey, payload } of samples) {
      const before = JSON.stringify(payload);
      const event = { connection: connection(), eventKey, payload };
      expect(parse(event)).toEqual(parse(event));
      expect(JSON.stringify(payload)).toBe(before);
    }
  });

  it('ING-4 cuts long titles between characters, never inside one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 150, maxLength: 500 }), (title) => {
        const payload = structuredClone(delivery('issues/opened.3.json').payload) as { issue: { title: string } };
        payload.issue.title = title;
        expect(parse({ connection: connection(), eventKey: 'issues.opened', payload }).title).not.toMatch(LONE_SURROGATE);
      }),
    );
  });

  it('ING-4 needs no longer for a payload with a title of 20 MB', () => {
    const payload = structuredClone(delivery('issues/opened.3.json').payload) as { issue: { title: string } };
    payload.issue.title = 'x '.repeat(10_000_000);
    expect(parse({ connection: connection(), eventKey: 'issues.opened', payload }).title?.length).toBeLessThan(300);
  });
});
