import assert from 'node:assert/strict';
import type { Connection, Parsed, SubjectParser } from '../../plugin/index.js';
import type { Check } from '../check.js';
import { hostileVariants } from '../hostile.js';
import type { SampleEvent } from '../samples.js';
import type { UnderTest } from '../under-test.js';
import { assertStorable, assertValid } from '../valid-parsed.js';
import { withoutWorld } from '../without-world.js';

type Parse = (event: Pick<SampleEvent, 'eventKey' | 'payload'>) => Parsed;
type Run = (parse: Parse, events: readonly SampleEvent[]) => void;

export function parserChecks(under: UnderTest): Check[] {
  const check = (name: string, run: Run): Check => ({
    section: 'parser',
    name,
    run: async () => run(parserOf((await under.provider()).subjects, under.connection()), under.samples.events),
  });
  return [
    check('understands the samples', (parse, events) => {
      for (const event of events) {
        const parsed = parse(event);
        assertValid(parsed, () => event.name);
        assert.equal(parsed.kind, event.kind, `${event.name} is of another kind`);
        assert.equal(parsed.subject === null, event.about === null, `${event.name}: about something, or about nothing`);
        if (parsed.subject) assertStorable(parsed.subject, event.name);
      }
    }),
    check('says the same of the same event, and leaves it as it is', (parse, events) => {
      const first = events.map((event) => JSON.stringify(parse({ ...event, payload: frozen(copyOf(event.payload)) })));
      const backwards = events.toReversed().map((event) => JSON.stringify(parse(event)));
      for (const [index, event] of events.entries())
        assert.equal(backwards.at(-1 - index), first[index], `${event.name}: another answer the second time`);
    }),
    check('looks at nothing but the event', (parse, events) => {
      for (const event of events) withoutWorld(() => parse(event));
    }),
    check('makes something of whatever it is given', (parse, events) => {
      for (const event of events) for (const payload of hostileVariants(event.payload)) assertTotal(parse, { ...event, payload });
    }),
    check('gives one subject to all events about one thing', (parse, events) => {
      for (const [about, subjects] of subjectsBy(parse, events))
        assert.equal(new Set(subjects).size, 1, `the events about ${about} have the subjects ${[...new Set(subjects)].join(' and ')}`);
    }),
    check('gives different subjects to different things', (parse, events) => {
      const owners = new Map<string, string>();
      for (const [about, [subject = '']] of subjectsBy(parse, events)) {
        const owner = owners.get(subject);
        assert(owner === undefined, `${about} and ${owner} have the subject ${subject}`);
        owners.set(subject, about);
      }
    }),
    check('knows the beginning and the end of a thing', (parse, events) => {
      for (const event of events)
        if (event.state !== undefined)
          assert.equal(parse(event).observation?.state, event.state, `${event.name}: the state of its subject`);
    }),
  ];
}

function parserOf(subjects: SubjectParser, connection: Connection): Parse {
  return ({ eventKey, payload }) => subjects.parse({ connection, eventKey, payload });
}

function assertTotal(parse: Parse, event: SampleEvent): void {
  let parsed: Parsed;
  try {
    parsed = parse(event);
  } catch (error) {
    assert.fail(`${event.name}: given ${shown(event.payload)} the parser throws ${String(error)}`);
  }
  assertValid(parsed, () => `${event.name}, given ${shown(event.payload)}`);
}

/** What was found of each thing, in the words of the samples. */
function subjectsBy(parse: Parse, events: readonly SampleEvent[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const event of events) {
    const { subject } = parse(event);
    if (event.about === null || subject === null) continue;
    found.set(event.about, [...(found.get(event.about) ?? []), `${subject.namespace} ${subject.key}`]);
  }
  return found;
}

function copyOf(payload: unknown): unknown {
  return JSON.parse(JSON.stringify(payload));
}

function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}

function shown(payload: unknown): string {
  return (JSON.stringify(payload) ?? 'undefined').slice(0, 300);
}
