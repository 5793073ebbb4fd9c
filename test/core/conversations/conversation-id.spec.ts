import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { automationConversationId, configuredId, identify, scopedId } from '../../../src/core/conversations/conversation-id.js';
import { InvalidInput } from '../../../src/plugin/index.js';

interface Vectors {
  readonly vectors: readonly { org: string; automation: string; source: string; subject_key: string; conversation_id: string }[];
  readonly netstring_scope: { readonly vectors: readonly { fields: readonly string[]; id: string }[] };
}

const fixture = JSON.parse(readFileSync(new URL('../../fixtures/conversation-ids.json', import.meta.url), 'utf8')) as Vectors;
const subject = { namespace: 'github:github.com:1296269', key: '1296269#12' };

describe('ids of conversations', () => {
  it.each(fixture.vectors)('IDN-3 gives $conversation_id for $source $subject_key of an automation', (vector) => {
    expect(automationConversationId(vector.org, vector.automation, vector.source, vector.subject_key)).toBe(vector.conversation_id);
  });

  it.each(fixture.netstring_scope.vectors)('IDN-3 gives $id for the fields $fields', ({ fields, id }) => {
    expect(scopedId(...fields)).toBe(id);
  });

  it('IDN-3 identifies subject, run and configured names by those formulas', () => {
    expect(identify('default', subject, { scope: 'subject' }).id).toBe('bc3f9d8c-0081-5c18-97f1-865cc2c74f6a');
    const run = { scope: 'run', kind: 'route', name: 'triage', run: '33333333-3333-4333-8333-333333333333' } as const;
    expect(identify('default', { namespace: '', key: '' }, run).id).toBe('576f8a9c-7eb8-5ce2-984e-1e6d93000b97');
    expect(configuredId('automation', 'default', 'triage')).toBe('14ecc23a-2d27-555c-9a2c-888394c4f24b');
  });

  it('IDN-3 a route with scope automation has its own UUID in the formula', () => {
    const { id, scopeName } = identify('default', subject, { scope: 'automation', kind: 'route', name: 'triage', source: 'github' });
    expect(id).toBe(automationConversationId('default', scopedId('route', 'default', 'triage'), 'github', subject.key));
    expect(scopeName).toBe('route:triage/github');
  });

  it('IDN-7 another organisation, source, route or scope is another conversation', () => {
    const of = (org: string, name: string, source: string) =>
      identify(org, subject, { scope: 'automation', kind: 'route', name, source }).id;
    const ids = [
      of('a', 'r', 's'),
      of('b', 'r', 's'),
      of('a', 'q', 's'),
      of('a', 'r', 't'),
      identify('a', subject, { scope: 'subject' }).id,
    ];
    expect(new Set([...ids, identify('b', subject, { scope: 'subject' }).id]).size).toBe(6);
  });

  it('IDN-3 nothing is trimmed or normalised', () => {
    const of = (key: string) => scopedId('subject', 'default', 'n', key);
    expect(new Set([of('é'), of('e\u0301'), of(' é'), of('É')]).size).toBe(4);
  });

  it('IDN-3 a lone surrogate is refused in either formula', () => {
    expect(() => scopedId('subject', 'default', 'n', 'a\uD800')).toThrow(InvalidInput);
    expect(() => automationConversationId('default', 'a', 's', '\uDC00')).toThrow(InvalidInput);
  });
});
