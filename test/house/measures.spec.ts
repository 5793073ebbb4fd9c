import { describe, expect, it } from '@jest/globals';
import { measure } from '../../scripts/house/measures.mjs';

const source = `// Why this exists.
/** Two lines
 *  of reason. */
export function outer(address: string): string {
  const inner = () => {
    return 'https://example.test'; // not a line of its own
  };

  return inner() + address;
}

export abstract class Shape {
  abstract area(): number;
  /* one */ get name() { return \`http://\${this.area()}// no comment\`; }
}
`;

describe('the measures of the bands', () => {
  const measured = measure('example.ts', source);

  it('count lines, and of them those that hold code or comment', () => {
    expect(measured).toMatchObject({ lines: 15, code: 13 });
  });

  it('count as comment the lines that begin with one, and none inside of texts', () => {
    expect(measured.comments).toBe(4);
  });

  it('find every function with a body, from its first line to its last', () => {
    expect(measured.functions).toEqual([
      { at: 'example.ts:4', lines: 7 },
      { at: 'example.ts:5', lines: 3 },
      { at: 'example.ts:14', lines: 1 },
    ]);
  });

  it('find the type any, and no name that contains it', () => {
    const text = 'const many: any[] = [];\nfunction company(value: Map<string, any>) { return value; }\n';
    expect(measure('a.ts', text).anys).toEqual(['a.ts:1', 'a.ts:2']);
  });

  it('find comments that switch a check off', () => {
    const text = `const text = '@ts-${'ignore'}';\n// @ts-${'ignore'}\nconst x = 1;\n// biome-${'ignore'} lint: no\n`;
    expect(measure('a.ts', text).suppressions).toEqual(['a.ts:2', 'a.ts:4']);
  });
});
