import { describe, expect, it } from '@jest/globals';
import { fixturesIn, goldenEntry, goldenText } from '../golden.js';
import { cloudEvent, connection, read, recorded, subjects, webhook } from './webhook.requests.js';

const SIGNATURES = { bitbucket: 'bitbucket', gitlab: 'gitlab-token', shopify: 'shopify', stripe: 'stripe' } as const;

function senderOf(name: string): string {
  const [, sender = ''] = /custom\/(\w+)\./.exec(name) ?? [];
  return SIGNATURES[sender as keyof typeof SIGNATURES];
}

function entryOf(name: string): string {
  const { id, key, parsed } = read(recorded(name), { signature: senderOf(name) });
  return goldenEntry(`${name}\n  id        ${id?.replace(/^sha256:.*/, 'a digest of the body')}`, key, parsed);
}

function cloudEntries(name: string): string[] {
  const at = connection({ format: 'cloudevents' });
  return (webhook.events(cloudEvent(name), at) ?? []).map(({ deliveryId, eventKey, payload }) =>
    goldenEntry(`cloudevents/${name}\n  id        ${deliveryId}`, eventKey, subjects.parse({ connection: at, eventKey, payload })),
  );
}

describe('every recorded request of a sender with a preset', () => {
  it('gives the event, subject and words that golden.txt shows', () => {
    const clouds = ['binary', 'binary.percent-encoded', 'structured', 'batch'];
    const entries = [...fixturesIn('custom').map(entryOf), ...clouds.flatMap(cloudEntries)].join('\n');
    expect(entries).toBe(goldenText(new URL('golden.txt', import.meta.url), entries));
  });
});
