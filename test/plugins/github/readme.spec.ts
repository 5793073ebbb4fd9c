import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { EVENTS } from '../../../plugins/github/github.events.js';
import type { Rule } from '../../../plugins/github/github.rule.js';

const README = readFileSync(new URL('../../../plugins/github/README.md', import.meta.url), 'utf8');

const NAMES: Readonly<Record<string, string>> = { '': '–', '*': 'any' };

/** The rows of the README's table that say what the events are. */
const rows = Object.entries(EVENTS).flatMap(([event, { actions }]) => {
  const meanings = [...new Set(Object.values(actions).map(meaning))];
  return meanings.map((what) => {
    const names = Object.keys(actions).filter((action) => meaning(actions[action] as Rule) === what);
    return `| ${event} | ${names.map((name) => NAMES[name] ?? name).join(', ')} | ${what} |`;
  });
});

function meaning(rule: Rule): string {
  switch (rule.is) {
    case 'opening':
      return 'prompt (message), opens the subject';
    case 'reopening':
      return 'prompt (notice), opens the subject again';
    case 'message':
      return 'prompt (message)';
    case 'notice':
      return 'prompt (notice)';
    case 'report':
      return rule.state === undefined ? 'prompt (notice)' : 'prompt (notice), or ignored while pending: `not_finished`';
    case 'ending':
      return `lifecycle, ends the subject${rule.reason ? `: \`${rule.reason}\`` : ''}`;
    case 'edit':
      return 'edit of the message, or ignored: `no_text_change`';
    case 'withdrawal':
      return 'withdrawal of the message';
    default:
      return `${rule.is}: \`${rule.reason}\``;
  }
}

describe('the README of the GitHub plugin', () => {
  it('says of every event and action what becomes of it (GIT-1)', () => {
    const table = README.slice(README.indexOf('| event | action |')).split('\n\n')[0]?.split('\n').slice(2);
    expect(table?.map((row) => row.replace(/ {2,}/g, ' '))).toEqual(rows);
  });
});
