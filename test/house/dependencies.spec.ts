import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

describe('docs/dependencies.md', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const rows = [...readFileSync('docs/dependencies.md', 'utf8').matchAll(/^\| `(?<name>[^`]+)` \| (?<reason>.+) \|$/gm)];

  it('names every dependency of package.json once, and no other', () => {
    const named = rows.map((row) => row.groups?.name);
    expect(named.toSorted()).toEqual(Object.keys({ ...dependencies, ...devDependencies }).sort());
  });

  it('gives a reason for each', () => {
    for (const { groups } of rows) expect(groups?.reason?.length).toBeGreaterThan(20);
  });
});
