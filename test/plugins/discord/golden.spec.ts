import { describe, expect, it } from '@jest/globals';
import type { ProviderEvent } from 'throughline/plugin';
import { eventsOf } from '../../../plugins/discord/gateway-events.js';
import { fixturesIn, fixtureText, goldenEntry, goldenText } from '../golden.js';
import { parse, parseRequest, request, webhook } from './discord.events.js';

const read = (name: string) => JSON.parse(fixtureText(name));
const dispatches = fixturesIn('discord/constructed').filter((name) => name.includes('/gateway.'));
const interactions = [
  ...fixturesIn('discord/constructed').filter((name) => name.includes('/interaction.')),
  ...fixturesIn('discord/docs').filter((name) => /example-interaction|autocomplete/.test(name)),
];

const events = dispatches.flatMap((name): [string, ProviderEvent][] => {
  const { t, d } = read(name);
  return eventsOf(t, d).map((event) => [name, event]);
});

function ofDispatch(name: string): string {
  const { t, d } = read(name);
  const made = eventsOf(t, d).map((event) => goldenEntry(`${name}\n  id        ${event.deliveryId}`, event.eventKey, parse(event)));
  return made.join('\n') || `${name}\n  no event\n`;
}

function ofInteraction(name: string): string {
  const payload = read(name);
  const reply = webhook.handshake(request(payload));
  if (reply) return `${name}\n  handshake ${reply.status} ${JSON.stringify(reply.body)}\n`;
  const heading = `${name}\n  id        ${webhook.deliveryId(request(payload))}`;
  return goldenEntry(heading, webhook.eventKey(request(payload)), parseRequest(payload));
}

describe('every recorded Discord event', () => {
  it('IDN-1 gives the id, subject and words that golden.txt shows', () => {
    const entries = [...dispatches.map(ofDispatch), ...interactions.map(ofInteraction)].join('\n');
    expect(entries).toBe(goldenText(new URL('golden.txt', import.meta.url), entries));
  });

  it('is read the same the second time, and as its own JSON', () => {
    for (const [, event] of events) {
      const parsed = parse(event);
      expect(parse(event)).toStrictEqual(parsed);
      expect(JSON.parse(JSON.stringify(parsed))).toStrictEqual(parsed);
    }
  });
});
