import { describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { LinearConnection } from '../../../plugins/linear/linear.options.js';
import { placeOf } from '../../../plugins/linear/work-board.js';
import { type Ruling, rule, type Situation } from '../../../plugins/linear/work-rules.js';
import { BOARD } from './work.board.js';

const CALM: Situation = { column: null, task: null, isRepeat: false, isMove: true, byUser: true };
const EXECUTE = { step: 'lease', tell: 'execute' };

describe('what the controller of the work makes of a change', () => {
  const RULINGS: readonly [string, Partial<Situation>, Ruling | null][] = [
    ['a move to planning wants a plan', { column: 'planning' }, { step: 'plan', tell: 'plan' }],
    ['a plan that is sent back is made anew', { column: 'planning', task: 'proposed' }, { step: 'plan', tell: 'plan' }],
    ['one plan is made at a time', { column: 'planning', task: 'planning' }, {}],
    ['an approval lets it be done, and moves it on', { column: 'approved', task: 'proposed' }, { ...EXECUTE, starts: true } as Ruling],
    ['an approval without a plan does so, too', { column: 'approved', byUser: false }, { ...EXECUTE, starts: true } as Ruling],
    ['one lease stands at a time', { column: 'approved', task: 'running' }, { starts: true }],
    ['a person’s own move to In Progress is a lease', { column: 'inProgress', task: 'planning' }, EXECUTE as Ruling],
    ['a machine’s is none', { column: 'inProgress', byUser: false }, {}],
    ['being in progress is none', { column: 'inProgress', isMove: false }, {}],
    ['what comes while it is done is the controller’s', { column: 'inProgress', task: 'running' }, {}],
    ['a plan that stands on the board waits for a person', { column: 'planApproval', task: 'planning' }, { step: 'propose' }],
    ['what comes while it waits is the controller’s', { column: 'planApproval', task: 'proposed' }, {}],
    ['what stands in review was submitted', { column: 'review', task: 'running' }, { step: 'submit' }],
    ['what is said in review is the agent’s', { column: 'review', task: 'review' }, null],
    ['a move to blocked blocks', { column: 'blocked', task: 'running' }, { step: 'block' }],
    ['what was cancelled sleeps there', { column: 'blocked', task: 'cancelled' }, {}],
    ['what is blocked is the agent’s', { column: 'blocked', task: 'blocked' }, null],
    ['a move off the columns cancels', { task: 'running' }, { step: 'cancel' }],
    ['another change there is the agent’s', { task: 'running', isMove: false }, null],
    ['without a task it is the agent’s', {}, null],
    ['a plan is told again after a crash', { column: 'planning', task: 'planning', isRepeat: true }, { step: 'plan', tell: 'plan' }],
    ['a lease, too, and its move', { column: 'approved', task: 'running', isRepeat: true }, { ...EXECUTE, starts: true } as Ruling],
    ['and when the move was made', { column: 'inProgress', task: 'running', isRepeat: true, byUser: false }, EXECUTE as Ruling],
  ];

  it.each(RULINGS)('LIN-3 %s', (_, situation, ruling) => {
    expect(rule({ ...CALM, ...situation })).toEqual(ruling);
  });
});

describe('the boards of a connection', () => {
  const faultsOf = (work: unknown, token: object = { token: 't' }) =>
    validateSync(plainToInstance(LinearConnection, { ...token, work })).map(({ property }) => property);

  it('LIN-3 names each column once, by the id of its state, and needs a token', () => {
    expect(faultsOf([BOARD])).toEqual([]);
    expect(faultsOf([{ ...BOARD, done: 'Done' }])).toEqual(['work']);
    expect(faultsOf([{ ...BOARD, done: BOARD.review }])).toEqual(['work']);
    expect(faultsOf([BOARD, BOARD])).toEqual(['work']);
    expect(faultsOf([])).toEqual(['work']);
    expect(faultsOf([BOARD], {})).toEqual(['work']);
  });

  it('LIN-3 knows a state by its id alone, on the board that it is of', () => {
    expect(placeOf(BOARD.review, { work: [BOARD] })).toEqual({ column: 'review', board: BOARD });
    expect([placeOf('In Review', { work: [BOARD] }), placeOf(undefined, { work: [BOARD] }), placeOf(BOARD.review, {})]).toEqual([
      null,
      null,
      null,
    ]);
  });
});
