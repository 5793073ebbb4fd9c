import { describe, expect, it } from '@jest/globals';
import { fixturesIn, fixtureText, goldenEntry, goldenText } from '../golden.js';
import { parse, request, webhook } from './linear.requests.js';

const OURSELVES = { oauthClientId: '0a0a0a0a-0000-4000-8000-000000000001', proposalStateId: '5fc1d0a0-0000-4000-8000-000000000001' };

const bodies = [...fixturesIn('linear/constructed'), ...fixturesIn('linear/sdk')];

function entry(name: string): string {
  const payload: unknown = JSON.parse(fixtureText(name));
  return goldenEntry(name, webhook.eventKey(request(payload)), parse(payload, OURSELVES));
}

describe('every recorded Linear webhook body', () => {
  it('LIN-1 IDN-1 gives the event, subject, words and state that golden.txt shows', () => {
    const entries = bodies.map(entry).join('\n');
    expect(entries).toBe(goldenText(new URL('golden.txt', import.meta.url), entries));
  });

  it('is read the same the second time, and as its own JSON', () => {
    for (const name of bodies) {
      const payload: unknown = JSON.parse(fixtureText(name));
      const parsed = parse(payload);
      expect(parse(payload)).toStrictEqual(parsed);
      expect(JSON.parse(JSON.stringify(parsed))).toStrictEqual(parsed);
    }
  });
});
