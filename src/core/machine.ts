import { Conflict } from '../plugin/errors.js';

type Table = Readonly<Record<string, Readonly<Record<string, string>>>>;
type EventsOf<Row> = Row extends unknown ? keyof Row & string : never;

/** Every target must itself be a state of the table; anything else does not compile. */
type Closed<T extends Table> = { [S in keyof T]: { [E in keyof T[S]]: T[S][E] extends keyof T ? T[S][E] : never } };

export type StateOf<T extends Table> = keyof T & string;
export type EventOf<T extends Table> = EventsOf<T[keyof T]>;

export class IllegalTransition extends Conflict {
  override readonly code = 'illegal_transition';
}

/** A state machine as one table, which the code, the guards of its statements and the documentation read. */
export interface Machine<T extends Table = Table> {
  readonly name: string;
  readonly table: T;
  readonly states: readonly StateOf<T>[];
  /** The states in which the event is legal: the guard of an update. */
  sources(event: EventOf<T>): StateOf<T>[];
  /** Where the event leads, from every state in which it is legal: what an update writes. */
  target(event: EventOf<T>): StateOf<T>;
  /** Where the event leads. Throws `IllegalTransition` when it is not legal in that state. */
  next(state: StateOf<T>, event: EventOf<T>): StateOf<T>;
}

export function machine<const T extends Table>(name: string, table: T & Closed<T>): Machine<T> {
  const rows = table as Table;
  const states = Object.keys(rows);
  return {
    name,
    table,
    states,
    sources: (event) => states.filter((state) => event in (rows[state] ?? {})),
    target(event) {
      const [target, ...others] = new Set(states.flatMap((state) => rows[state]?.[event] ?? []));
      if (target === undefined || others.length > 0) throw new Error(`${name}: ${event} does not lead to one state`);
      return target;
    },
    next(state, event) {
      const target = rows[state]?.[event];
      if (target === undefined) throw new IllegalTransition(`${name}: ${event} is not possible while it is ${state}`);
      return target;
    },
  };
}

/** States as a list of SQL: `'open', 'terminal'`. */
export function quoted(states: readonly string[]): string {
  return [...new Set(states)].map((state) => `'${state}'`).join(', ');
}
