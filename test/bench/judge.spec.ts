import { describe, expect, it } from '@jest/globals';
import { isFaultless, judge, worst } from '../../bench/measure/judge.mjs';

/** `b1 1:1 1:2` is the begin of turn 1 on two deliveries of subject 1, `e1` its end. */
function events(...lines: string[]) {
  const marksOf = new Map<string, string[]>();
  return lines.map((line, at) => {
    const [word = '', ...marks] = line.split(' ');
    const turn = word.slice(1);
    if (word.startsWith('b')) marksOf.set(turn, marks);
    return { kind: word.startsWith('b') ? 'begin' : 'end', turn, at, marks: marksOf.get(turn) ?? [] };
  });
}

describe('the judgement of a run', () => {
  it('finds no fault in turns that take each delivery once, in order, one at a time', () => {
    const faults = judge(['1:1', '1:2', '1:3', '2:1'], events('b1 1:1', 'b2 2:1', 'e1', 'b3 1:2 1:3', 'e2', 'e3'));
    expect(faults).toEqual({ lost: 0, twice: 0, disordered: 0, overlapping: 0 });
    expect(isFaultless(faults)).toBe(true);
  });

  it('finds what was never begun, and what was begun and never ended', () => {
    expect(judge(['1:1', '1:2', '2:1'], events('b1 1:1', 'e1', 'b2 1:2'))).toMatchObject({ lost: 2 });
  });

  it('counts each time too many, and no disorder for it', () => {
    const faults = judge(['1:1', '1:2'], events('b1 1:1', 'e1', 'b2 1:2', 'e2', 'b3 1:1', 'e3', 'b4 1:1', 'e4'));
    expect(faults).toEqual({ lost: 0, twice: 2, disordered: 0, overlapping: 0 });
  });

  it('finds what began after a later one of its subject, also within a turn', () => {
    expect(judge(['1:1', '1:2'], events('b1 1:2', 'e1', 'b2 1:1', 'e2'))).toMatchObject({ disordered: 1 });
    expect(judge(['1:1', '1:2'], events('b1 1:2 1:1', 'e1'))).toMatchObject({ disordered: 1 });
  });

  it('finds two of one subject at once, in whatever order they were read', () => {
    const faulty = events('b1 1:1', 'b2 1:2', 'e1', 'e2');
    expect(judge(['1:1', '1:2'], faulty.toReversed())).toEqual({ lost: 0, twice: 0, disordered: 0, overlapping: 1 });
  });

  it('keeps the worst of several rounds', () => {
    const none = { lost: 0, twice: 0, disordered: 0, overlapping: 0 };
    expect(worst([none, { ...none, lost: 2 }, { ...none, lost: 1, twice: 3 }])).toEqual({ ...none, lost: 2, twice: 3 });
  });
});
