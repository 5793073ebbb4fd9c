import { describe, expect, it } from '@jest/globals';
import { type Fields, fields, list, type ProviderEvent } from 'throughline/plugin';
import { providerEvent, roleOf } from '../../../plugins/matrix/room-events.js';
import { fixturesIn, fixtureText, goldenEntry, goldenText } from '../golden.js';
import { parse } from './matrix.rooms.js';

const AGENT = '@agent:example.org';
const ROOMS = { user: AGENT, rooms: { portal: { id: '!portal:example.org', title: 'Portal' } } };

/** What is read of a recorded answer, or of a single event. */
function eventsOf(name: string): readonly Fields[] {
  const read = JSON.parse(fixtureText(name)) as Fields;
  const rooms = fields(read.rooms) ?? {};
  const told = [rooms.join, rooms.leave].flatMap((part) => Object.values(fields(part) ?? {}));
  const timelines = told.flatMap((room) => list(fields(fields(room)?.timeline)?.events));
  if (timelines.length > 0) return timelines;
  return read.chunk === undefined ? [read] : list(read.chunk);
}

const names = [
  ...fixturesIn('matrix/events'),
  ...fixturesIn('matrix/constructed').filter((name) => !/error|send|empty/.test(name)),
  'matrix/sync_response.spec.json',
  'matrix/messages_response.spec.json',
];

const events = names.flatMap((name) =>
  eventsOf(name).map((raw): { name: string; raw: Fields; event: ProviderEvent | null } => {
    const role = roleOf(raw, AGENT);
    const surroundings = { room: 'portal', roomId: '!portal:example.org', author: 'Alice', originalSender: String(raw.sender) };
    return { name, raw, event: role === null ? null : providerEvent(role, raw, surroundings) };
  }),
);

describe('every recorded Matrix event', () => {
  it('IDN-1 MTX-1 gives the subject and words that golden.txt shows, or is not told at all', () => {
    const entries = events.map(({ name, raw, event }) => {
      const heading = `${name}  ${String(raw.event_id)}`;
      return event ? goldenEntry(heading, event.eventKey, parse(event, ROOMS)) : `${heading}\n  nothing (${String(raw.type)})\n`;
    });
    const text = entries.join('\n');
    expect(text).toBe(goldenText(new URL('golden.txt', import.meta.url), text));
  });

  it('is read the same the second time, and as its own JSON', () => {
    for (const { event } of events) {
      if (event === null) continue;
      const parsed = parse(event, ROOMS);
      expect(parse(event, ROOMS)).toStrictEqual(parsed);
      expect(JSON.parse(JSON.stringify(parsed))).toStrictEqual(parsed);
    }
  });
});
