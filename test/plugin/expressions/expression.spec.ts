import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compileExpression, expressionFault, isTruthy } from '../../../src/plugin/expressions/expression.js';

const evaluate = (expression: string, payload: unknown): unknown => compileExpression(expression).evaluate(payload);

/** Runs an evaluation and asserts that it was no long one; the bound is far above what the budget allows, for slow machines. */
function quickly(run: () => unknown): unknown {
  const started = performance.now();
  const value = run();
  expect(performance.now() - started).toBeLessThan(3_000);
  return value;
}

describe('expressions', () => {
  const payload = {
    issue: { number: 12, labels: [{ name: 'Bug' }, { name: 'ui' }], title: 'Repair the Scheduler' },
    repository: { full_name: 'acme/widgets' },
  };

  it.each<[string, unknown]>([
    ['issue.number', 12],
    ['issue.labels[].name', ['Bug', 'ui']],
    ["issue.labels[?name=='ui'] | [0].name", 'ui'],
    ["join('', [repository.full_name, '#', to_string(issue.number)])", 'acme/widgets#12'],
    [
      "(pull_request.number || issue.number) && join('/', [repository.full_name, to_string(pull_request.number || issue.number)])",
      'acme/widgets/12',
    ],
    ["glob(issue.title, 'Repair*')", true],
    ["glob(issue.title, 'repair*')", false],
    ["icontains(issue.title, 'SCHEDULER')", true],
    ["starts_with(issue.title, 'Repair') && ends_with(issue.title, 'Scheduler')", true],
    ["regex(issue.title, 'the\\s+Sched')", true],
    ["regex(issue.title, '(?i)^repair\\b')", true],
    ["regex(issue.title, '^the')", false],
    ['issue.labels[?regex(name, `"^(ui|ux)$"`)] | [0].name', 'ui'],
    ['regex(issue.title, issue.labels[0].name)', false],
    ['lower(issue.title)', 'repair the scheduler'],
    ['upper(repository.full_name)', 'ACME/WIDGETS'],
    ['sort(`[10, 9, 100]`)', [9, 10, 100]],
    ['sort_by(issue.labels, &name)[0].name', 'Bug'],
    ['max_by(issue.labels, &name).name', 'ui'],
    ['min(`["b", "a"]`)', 'a'],
    ['max(`[]`)', null],
    ['keys(group_by(issue.labels, &name))', ['Bug', 'ui']],
    ["trim('  a b ')", 'a b'],
    ["trim_left('xxaxx', 'x')", 'axx'],
    ["trim_right('xxaxx', 'x')", 'xxa'],
    ["replace('a-b-c', '-', '$&', `1`)", 'a$&b-c'],
    ["replace('a-b-c', '-', '+')", 'a+b+c'],
    ["pad_left('7', `3`, '0')", '007'],
    ['length(issue.labels)', 2],
    ['issue.labels[0] == `{"name": "Bug"}`', true],
    ['issue.labels[0] != `{"name": "Bug", "id": 1}`', true],
    ['issue.missing.deeper', null],
    ['issue.number.name', null],
  ])('%s gives %j', (expression, expected) => {
    expect(evaluate(expression, payload)).toEqual(expected);
  });

  it.each([
    'constructor',
    'issue.toString',
    'issue.__proto__',
    '"__proto__".polluted',
    'issue.labels.length',
    'constructor.name',
    'group_by(@, &constructor)',
  ])('AUT-2 reads own properties only: %s is null', (expression) => {
    expect(evaluate(expression, payload)).toBeNull();
  });

  it('AUT-2 reads a property of the payload that is called as an inherited one', () => {
    const own: unknown = JSON.parse('{"__proto__": {"a": 1}, "constructor": "mine", "list": [{"k": "constructor"}]}');
    expect(evaluate('"__proto__".a', own)).toBe(1);
    expect(evaluate('constructor', own)).toBe('mine');
    expect(evaluate('group_by(list, &k).constructor', own)).toEqual([{ k: 'constructor' }]);
  });

  it.each([
    ['', 'is empty'],
    ['a.', 'does not parse'],
    ['a[', 'does not parse'],
    ["a == 'x", 'does not parse'],
    ["state = 'open'", 'write == to compare'],
    ['let $a = b in $a', 'not supported'],
    ['frobnicate(a)', 'calls frobnicate(), which does not exist'],
    ['constructor(a)', 'calls constructor(), which does not exist'],
    ['length(a, b)', 'calls length() with 2 arguments; it takes 1'],
    ["find_first('a')", 'it takes 2 to 4'],
    ['merge()', 'it takes at least 1'],
    ['sort_by(a, b)', 'must be an expression, written &name'],
    ['length(&a)', 'must be a value'],
    ['[&a]', 'no argument of a function'],
    ['&a', 'no argument of a function'],
    ["regex(a, '(b')", 'calls regex() with a pattern that has "("'],
    ["regex(a, '(b)\\1')", 'would refer to a group'],
    ['regex(a)', 'calls regex() with 1 arguments; it takes 2'],
    ["glob(a, '{b')", 'calls glob() with a pattern that has "{"'],
    ['a[::0]', 'step 0'],
  ])('AUT-2 refuses %j when it is stored', (expression, message) => {
    expect(expressionFault(expression)).toContain(message);
    expect(() => compileExpression(expression)).toThrow(message);
  });

  it('AUT-2 bounds length, parts and depth when it is stored', () => {
    const tooLarge = [
      [`${'a.'.repeat(2000)}a`, 'longer than 4000'],
      [`${'a.'.repeat(150)}a`, 'nested more than 100'],
      [`[${'a,'.repeat(1200)}a]`, 'more than 1000 parts'],
      ['('.repeat(4000), 'does not parse'],
      [`${'!'.repeat(3000)}a`, 'nested'],
    ];
    for (const [expression = '', message] of tooLarge) expect(expressionFault(expression)).toContain(message);
  });

  it('gives null for what cannot be computed with a payload', () => {
    for (const expression of ["starts_with(a, 'x')", 'a / `0`', 'sum(a)', "join(',', a)", 'sort_by(a, &b)', "icontains(@, 'x')"]) {
      expect(evaluate(expression, { a: null })).toBeNull();
      expect(evaluate(expression, { a: [{ b: true }, {}] })).toBeNull();
      expect(evaluate(expression, null)).toBeNull();
    }
  });

  it.each([
    ['nested projections', 'a[].[$.a[].[$.a[].[$.a[].b]]]'],
    ['doubling and printing', `${'[@,@]|'.repeat(60)}to_string(@)`],
    ['doubling and comparing', `[${'[@,@]|'.repeat(40)}[@,@],${'[@,@]|'.repeat(40)}[@,@]]|[0]==[1]`],
    ['doubling text', `a[0].b | ${"join('', [@,@,@])|".repeat(40)}@`],
    ['flattening what was doubled', `a | ${'[@,@,@,@][]|'.repeat(30)}length(@)`],
    ['padding', "pad_left('x', `2000000000`)"],
    ['padding without end', "pad_right('x', to_number('Infinity'))"],
    ['replacing the empty text', `big | ${"replace(@, 'a', 'aaaaaaaa')|".repeat(9)}@`],
    ['replacing a number of times', "replace(big, 'a', 'b', `4000000000`)"],
    ['searching for a long text', "contains(big, join('b', [half, half]))"],
    ['searching', 'a[?contains($.big, $.needle)]'],
    ['trimming', "trim(join('', [spaces, 'x', spaces, 'y']))"],
    ['cutting text for each element', 'a[].[$.big[::-1]]'],
    ['sorting by a long text', 'sort_by(a, &$.big)'],
    ['glob with many stars', "glob(big, '*a*a*a*a*a*a*a*a*b')"],
    ['a regular expression that others go back in', "regex(big, '(a+)+b')"],
    ['a long text and a large regular expression', "regex(big, '(a?){200}(a|b){200}!')"],
    ['regular expressions of the payload', 'a[].[regex($.big, $.half)]'],
    ['a regular expression for each element', "a[?regex($.big, 'b$')]"],
    ['folding case for each element', "a[?icontains($.big, 'B')]"],
    ['grouping for each element', 'a[].[group_by($.a, &b)]'],
  ])('AUT-2 cannot block the loop by %s', (_name, expression) => {
    const hostile = {
      a: Array.from({ length: 3_000 }, () => ({ b: 'x'.repeat(20) })),
      big: 'a'.repeat(300_000),
      half: 'a'.repeat(100_000),
      needle: `b${'a'.repeat(100_000)}`,
      spaces: ' '.repeat(200_000),
    };
    const compiled = compileExpression(expression);
    quickly(() => compiled.evaluate(hostile));
  });

  it('never throws and never takes long, whatever expression meets whatever payload', () => {
    const words = fc.constantFrom(
      'a',
      'b',
      '.',
      '[',
      ']',
      '*',
      '[]',
      '[?',
      '(',
      ')',
      ',',
      '|',
      '||',
      '&&',
      '!',
      '==',
      '@',
      '$',
      '&',
      "'x'",
      '`1`',
      '{',
      '}',
      ':',
      'length',
      'to_string',
      'map',
      'sort_by',
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 25 }), fc.jsonValue(), (parts, payload) => {
        const expression = parts.join('');
        if (expressionFault(expression) === null) quickly(() => evaluate(expression, payload));
      }),
      { numRuns: 500 },
    );
  });

  it('counts false, null, 0 and everything empty as no', () => {
    expect([false, null, undefined, 0, '', [], {}].map(isTruthy)).toEqual(Array(7).fill(false));
    expect([true, 1, -1, 'x', [0], { a: null }].map(isTruthy)).toEqual(Array(6).fill(true));
  });
});
