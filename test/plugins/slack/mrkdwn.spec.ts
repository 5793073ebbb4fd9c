import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mrkdwn } from '../../../plugins/slack/mrkdwn.js';

describe("Markdown in Slack's notation", () => {
  it.each([
    ['**bold** and __bold__', '*bold* and *bold*'],
    ['an *italic* and an _italic_ word', 'an _italic_ and an _italic_ word'],
    ['**all *of* it**', '*all _of_ it*'],
    ['~~gone~~', '~gone~'],
    ['# A **bold** title #', '*A bold title*'],
    ['- one\n  * two\n+ three', '• one\n  • two\n• three'],
    ['[a|b](https://example.com/?a=1&b=2)', '<https://example.com/?a=1&amp;b=2|a b>'],
    ['![](https://example.com/a.png)', '<https://example.com/a.png>'],
    ['<https://example.com>', '<https://example.com>'],
    ['[x](javascript:alert(1))', '[x](javascript:alert(1))'],
    ['[x](!channel)', '[x](!channel)'],
    ['`**x** <!here>`', '`**x** &lt;!here&gt;`'],
    ['```ts\nlet a = **b** < c;\n```', '```\nlet a = **b** &lt; c;\n```'],
    ['2 * 3 * 4 and a*b*c', '2 * 3 * 4 and a*b*c'],
    ['> quoted', '&gt; quoted'],
    ['&lt; stays', '&amp;lt; stays'],
  ])('SLK-2 is, of %j, %j', (markdown, expected) => {
    expect(mrkdwn(markdown)).toBe(expected);
  });

  it('SLK-2 never makes a mention: whatever stands between angle brackets is a link', () => {
    const part = fc.constantFrom(
      '<',
      '>',
      '!',
      '@',
      '#',
      'channel',
      'U0001',
      '|',
      '*',
      '`',
      '```',
      '\n',
      '[',
      '](',
      ')',
      'https://a.b',
      '~~',
      ' ',
      '\u0001',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const inside = [...mrkdwn(parts.join('')).matchAll(/<([^>]*)>?/g)].map((match) => match[1] ?? '');
        expect(inside.filter((text) => !/^(https?:\/\/|mailto:)/.test(text))).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });
});
