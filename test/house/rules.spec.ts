import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { titlesOf } from './titles.js';

const page = readFileSync('docs/guarantees.md', 'utf8');
const [built = '', unbuilt = ''] = page.split('## Not built yet');
const rulesIn = (text: string) => [...text.matchAll(/^\| ([A-Z]{3}-\d+) \| (.+) \|$/gm)].map(([, rule = '']) => rule);

/** How many rules each group has: a rule that is in neither table would be missed by nobody. */
const GROUPS = {
  ...{ IDN: 8, SIG: 4, ING: 10, ACC: 14, FIF: 10, TRN: 11, REC: 6, RST: 2, TRM: 8, EFF: 8, CTL: 6, WSP: 3, LIN: 4, GIT: 3, SLK: 2 },
  ...{ MTX: 2, DSC: 2, AUT: 11, ADM: 6 },
};

describe('docs/guarantees.md', () => {
  const named = new Set(titlesOf('test').flatMap(({ title }) => title.match(/\b[A-Z]{3}-\d+\b/g) ?? []));
  const all = Object.entries(GROUPS).flatMap(([group, count]) => Array.from({ length: count }, (_, i) => `${group}-${i + 1}`));

  it('has every rule once', () => {
    expect(rulesIn(page).toSorted()).toEqual(all.toSorted());
  });

  it('promises nothing that no test names', () => {
    expect(rulesIn(built).filter((rule) => !named.has(rule))).toEqual([]);
  });

  it('calls nothing unbuilt that a test names', () => {
    expect(rulesIn(unbuilt).filter((rule) => named.has(rule))).toEqual([]);
  });

  it('has every rule that a title names', () => {
    const known = new Set(all);
    expect([...named].filter((rule) => rule.slice(0, 3) in GROUPS && !known.has(rule))).toEqual([]);
  });
});
