import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { turnText } from '../../../src/core/automations/turn-text.js';
import type { Parsed } from '../../../src/plugin/index.js';

const SILENT: Parsed = { kind: 'recorded', subject: null, reason: 'x' };

function text(payload: unknown, parsed: Parsed = SILENT, eventKey = 'issue_comment.created', source = 'github'): string {
  return turnText({ org: 'default', source, eventKey, payload, parsed });
}

const repository = { full_name: 'acme/app' };

describe('the text of an automation', () => {
  it('AUT-4 a comment is told with who, where and its link', () => {
    const payload = {
      comment: { body: 'Please have a look.', user: { login: 'ada' }, html_url: 'https://example.com/c/1' },
      issue: { body: 'The issue itself', number: 12, html_url: 'https://example.com/i/12' },
      repository,
    };
    expect(text(payload)).toBe('@ada commented on acme/app#12:\n\nPlease have a look.\n\nhttps://example.com/c/1');
  });

  it('AUT-4 what is no comment is told with its event', () => {
    const payload = { issue: { body: 'It broke.', number: 12, user: { login: 'ada' }, html_url: 'https://example.com/i/12' }, repository };
    expect(text(payload, SILENT, 'issues.opened')).toBe('@ada (`issues.opened`) on acme/app#12:\n\nIt broke.\n\nhttps://example.com/i/12');
    expect(text({ review: { body: 'Fine.' }, repository })).toBe('Someone commented on acme/app:\n\nFine.');
  });

  it('AUT-4 without a repository it is a message of its source', () => {
    expect(text({ event: { text: 'hello', user: 'U1' } }, SILENT, 'message', 'slack')).toBe(
      '@U1 sent a new slack message (message):\n\nhello',
    );
    expect(text({ user: 'U2', text: 'hi' }, SILENT, 'm', 's')).toBe('@U2 sent a new s message (m):\n\nhi');
  });

  it('AUT-4 a specific place wins over a general one, in the payload and in what it wraps', () => {
    expect(text({ text: 'general', payload: { comment: { body: 'specific' } } })).toContain('specific');
    expect(text({ comment: { body: 'outer' }, payload: { comment: { body: 'inner' } } })).toContain('outer');
    expect(text({ comment: { body: '   ' }, text: 'general' })).toContain('general');
  });

  it('AUT-4 the link is that of what was said', () => {
    const comment = { body: '', html_url: 'https://example.com/comment' };
    const issue = { body: 'the issue', html_url: 'https://example.com/issue' };
    expect(text({ comment, issue, repository })).toMatch(/https:\/\/example.com\/issue$/);
  });

  it('AUT-4 a number, an object or a list is no message', () => {
    expect(text({ comment: { body: 5 }, text: ['a'] })).toMatch(/^New event issue_comment.created from github:\n\n```json\n\{/);
  });

  it('AUT-4 where the payload says nothing the plugin does, else the payload itself stands in a fence', () => {
    const prompt: Parsed = {
      kind: 'prompt',
      subject: null,
      text: 'from the plugin',
      author: { id: '1', name: 'Ada', isBot: false },
      url: 'https://example.com/x',
    };
    expect(text({ data: {} }, prompt, 'Comment.create', 'linear')).toBe(
      '@Ada sent a new linear message (Comment.create):\n\nfrom the plugin\n\nhttps://example.com/x',
    );
    expect(text({ b: 1, a: { z: null } })).toBe(
      'New event issue_comment.created from github:\n\n```json\n{\n  "a": {\n    "z": null\n  },\n  "b": 1\n}\n```',
    );
    expect(text(null)).toContain('```json\n{}\n```');
    expect(text({ x: '```' })).toContain('````json');
  });

  it('AUT-4 only what the payload itself has is read', () => {
    const payload = JSON.parse('{ "__proto__": { "text": "polluted" }, "comment": { "__proto__": { "body": "polluted" } } }') as unknown;
    expect(text(payload)).toMatch(/^New event/);
  });

  it('AUT-4 what stands around a message is one line each, however it is spelled', () => {
    const payload = {
      comment: { body: 'x', user: { login: 'a\n\nb' }, html_url: 'u\nv' },
      repository: { full_name: 'r\n#`' },
      issue: { number: 1 },
    };
    expect(text(payload)).toBe('@a b commented on r #`#1:\n\nx\n\nu v');
    expect(text({ text: 'x', repository }, SILENT, 'a`b')).toBe("Someone (`a'b`) on acme/app:\n\nx");
  });

  it('AUT-4 whatever an event holds there is a text that both databases take', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (payload, key) => {
        const made = text({ payload, text: key }, SILENT, key.slice(0, 20));
        expect([made.trim() === '', made.isWellFormed(), made.includes('\0')]).toEqual([false, true, false]);
      }),
    );
  });
});
