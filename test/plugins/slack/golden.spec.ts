import { describe, expect, it } from '@jest/globals';
import type { VerifiedRequest } from 'throughline/plugin';
import { fixturesIn, fixtureText, goldenEntry, goldenText } from '../golden.js';
import { formRequest, jsonRequest, parseRequest, webhook } from './slack.requests.js';

/** Files of the folder that are no bodies: notes for tests, and frames of the socket protocol itself. */
const NO_BODIES = /retry\.headers|\/socket\./;

const jsonBodies = [...fixturesIn('slack/bolt-python'), ...fixturesIn('slack/constructed')].filter((name) => !NO_BODIES.test(name));
const forms = fixturesIn('slack/constructed', '.txt');
const envelopes = fixturesIn('slack/socket-mode').filter((name) => name.includes('/envelope_'));

const requests: [name: string, request: VerifiedRequest][] = [
  ...jsonBodies.map((name): [string, VerifiedRequest] => [name, jsonRequest(JSON.parse(fixtureText(name)))]),
  ...forms.map((name): [string, VerifiedRequest] => [name, formRequest(fixtureText(name))]),
  ...envelopes.map((name): [string, VerifiedRequest] => [name, jsonRequest(JSON.parse(fixtureText(name)).payload)]),
];

function entry([name, request]: [string, VerifiedRequest]): string {
  const reply = webhook.handshake(request);
  if (reply) return `${name}\n  handshake ${reply.status} ${JSON.stringify(reply.body)}\n`;
  return goldenEntry(name, webhook.eventKey(request), parseRequest(request));
}

describe('every recorded Slack body', () => {
  it('SLK-1 IDN-1 gives the event, subject and words that golden.txt shows', () => {
    const entries = requests.map(entry).join('\n');
    expect(entries).toBe(goldenText(new URL('golden.txt', import.meta.url), entries));
  });

  it('is read the same the second time, and as its own JSON', () => {
    for (const [, request] of requests) {
      const parsed = parseRequest(request);
      expect(parseRequest(request)).toStrictEqual(parsed);
      expect(JSON.parse(JSON.stringify(parsed))).toStrictEqual(parsed);
    }
  });
});
