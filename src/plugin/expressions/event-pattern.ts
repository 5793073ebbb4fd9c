import { InvalidInput } from '../errors.js';
import { type PatternPart, parsePattern } from './pattern-syntax.js';

/** A pattern over names of events, compiled. */
export interface EventPattern {
  readonly source: string;
  matches(eventKey: string): boolean;
}

/** A state of the automaton: with a test it takes one character; without one it is passed freely. */
interface State {
  readonly takes: ((char: string) => boolean) | null;
  readonly next: number[];
}

const ACCEPT = 0;
/** Nothing in it stands for anything else. */
const PLAIN = /^[\w.:-]+$/;

/**
 * Compiles `*` (any text, dots included), `?` (one character), `[abc]`, `[!a-z]` and `{a,b}`; `\` takes the next character literally.
 * Case-sensitive, over the whole key. Throws `InvalidInput` for a pattern that is none.
 */
export function compilePattern(source: string): EventPattern {
  const parts = parsePattern(source);
  if (PLAIN.test(source)) return { source, matches: (eventKey) => eventKey === source };
  const states: State[] = [{ takes: null, next: [] }];
  const start = link(parts, ACCEPT, states);
  return { source, matches: (eventKey) => accepts(states, start, eventKey) };
}

/** What is wrong with a pattern, or null. */
export function patternFault(source: string): string | null {
  try {
    parsePattern(source);
    return null;
  } catch (error) {
    if (error instanceof InvalidInput) return error.message;
    throw error;
  }
}

/** Adds the states of `parts` in front of state `next`, and returns the first of them. */
function link(parts: readonly PatternPart[], next: number, states: State[]): number {
  return parts.reduceRight((follower, part) => linkPart(part, follower, states), next);
}

function linkPart(part: PatternPart, next: number, states: State[]): number {
  switch (part.kind) {
    case 'one':
      return states.push({ takes: part.takes, next: [next] }) - 1;
    case 'choice': {
      const starts = part.options.map((option) => link(option, next, states));
      return states.push({ takes: null, next: starts }) - 1;
    }
    case 'any': {
      const loop: State = { takes: () => true, next: [] };
      const fork = states.push(loop, { takes: null, next: [next, states.length] }) - 1;
      loop.next.push(fork);
      return fork;
    }
  }
}

/** Follows all states at once, so that the work is at most length of pattern times length of key, whatever both are. */
function accepts(states: readonly State[], start: number, key: string): boolean {
  const seen = new Uint32Array(states.length);
  let round = 1;
  let current = reach(states, [start], seen, round);
  for (const char of key) {
    round += 1;
    const open: number[] = [];
    for (const { takes, next } of current) if (takes?.(char)) open.push(...next);
    current = reach(states, open, seen, round);
    if (current.length === 0) return false;
  }
  return seen[ACCEPT] === round;
}

/** The states that `open` leads to without a character, each once: `seen` holds the last round in which a state was reached. */
function reach(states: readonly State[], open: number[], seen: Uint32Array, round: number): State[] {
  const reached: State[] = [];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const state = states[index];
    if (state === undefined || seen[index] === round) continue;
    seen[index] = round;
    if (state.takes !== null) reached.push(state);
    else open.push(...state.next);
    if (index === ACCEPT) reached.push(state);
  }
  return reached;
}
