import { InvalidInput } from '../errors.js';
import type { CharTest } from './regex-characters.js';
import { parseRegex, type RegexNode } from './regex-syntax.js';

type Repeat = Extract<RegexNode, { kind: 'repeat' }>;

/** A state of the automaton: it takes one character, or is passed freely, or where its position holds. */
interface State {
  readonly takes: CharTest | null;
  readonly holds: ((before: number, after: number) => boolean) | null;
  readonly next: number[];
}

const ACCEPT = 0;
/** With what is repeated written out. */
const MAX_STATES = 2_000;
/** Work is counted in states looked at, and told of in portions; a step of a budget is worth some of them. */
const PORTION = 512;
const STATES_A_STEP = 8;
const MOST_REMEMBERED = 64;

const remembered = new Map<string, Regex | null>();

/**
 * A regular expression whose search takes at most the length of the text times the size of the expression, whatever both are: all states
 * are followed at once, and nothing is tried twice (Thompson's construction). Engines that go back take exponential time for some.
 */
export class Regex {
  private readonly states: State[] = [{ takes: null, holds: null, next: [] }];
  private readonly start: number;
  /** The last round in which each state was reached. Counted in doubles, which no number of characters overflows. */
  private readonly seen: Float64Array;
  private round = 0;
  private work = 0;

  /** Throws `InvalidInput`. */
  constructor(source: string) {
    const root = parseRegex(source);
    if (!(sizeOf(root) <= MAX_STATES)) throw new InvalidInput(`has more than ${MAX_STATES} parts, counting each repetition`);
    this.start = this.link(root, ACCEPT);
    this.seen = new Float64Array(this.states.length);
  }

  /** Is there a match anywhere in the text? `spend` is told of the work, in steps, and may throw. */
  isIn(text: string, spend: (steps: number) => void): boolean {
    this.work = 0;
    let before = -1;
    let open: number[] = [];
    for (let at = 0; ; ) {
      const after = text.codePointAt(at) ?? -1;
      open.push(this.start);
      const reached = this.reach(open, before, after);
      const isFound = this.seen[ACCEPT] === this.round;
      if (isFound || after === -1 || this.work > PORTION) this.tell(spend);
      if (isFound || after === -1) return isFound;
      open = [];
      for (const { takes, next } of reached) if (takes?.(after)) open.push(...next);
      before = after;
      at += after > 0xffff ? 2 : 1;
    }
  }

  private tell(spend: (steps: number) => void): void {
    spend(this.work / STATES_A_STEP);
    this.work = 0;
  }

  /** The states that wait for a character, from those that are open at this position; each once. */
  private reach(open: number[], before: number, after: number): State[] {
    this.round += 1;
    const reached: State[] = [];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      this.work += 1;
      const state = this.states[index];
      if (state === undefined || this.seen[index] === this.round) continue;
      this.seen[index] = this.round;
      if (state.takes !== null) reached.push(state);
      else if (state.holds === null || state.holds(before, after)) open.push(...state.next);
    }
    return reached;
  }

  /** Adds the states of a node in front of state `next`, and returns the first of them. */
  private link(node: RegexNode, next: number): number {
    switch (node.kind) {
      case 'one':
        return this.add({ takes: node.takes, holds: null, next: [next] });
      case 'position':
        return this.add({ takes: null, holds: node.holds, next: [next] });
      case 'sequence':
        return node.parts.reduceRight((follower, part) => this.link(part, follower), next);
      case 'choice':
        return this.fork(node.options.map((option) => this.link(option, next)));
      case 'repeat':
        return this.times(node, node.most === Infinity ? this.loop(node.part, next) : this.optional(node, next));
    }
  }

  private loop(part: RegexNode, next: number): number {
    const fork = this.fork([next]);
    this.states[fork]?.next.push(this.link(part, fork));
    return fork;
  }

  private optional({ part, least, most }: Repeat, next: number): number {
    let first = next;
    for (let count = least; count < most; count += 1) first = this.fork([this.link(part, first), next]);
    return first;
  }

  private times({ part, least }: Repeat, next: number): number {
    let first = next;
    for (let count = 0; count < least; count += 1) first = this.link(part, first);
    return first;
  }

  private fork(next: number[]): number {
    return this.add({ takes: null, holds: null, next });
  }

  private add(state: State): number {
    return this.states.push(state) - 1;
  }
}

/** What is wrong with a regular expression, or null. */
export function regexFault(source: string): string | null {
  try {
    new Regex(source);
    return null;
  } catch (error) {
    if (error instanceof InvalidInput) return error.message;
    throw error;
  }
}

/** Null for one that is none. Those that expressions name come again and again; there is no end to those that payloads may hold. */
export function regexOf(source: string): Regex | null {
  const known = remembered.get(source);
  if (known !== undefined) return known;
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  const regex = regexFault(source) === null ? new Regex(source) : null;
  remembered.set(source, regex);
  return regex;
}

function sizeOf(node: RegexNode): number {
  switch (node.kind) {
    case 'one':
    case 'position':
      return 1;
    case 'sequence':
      return node.parts.reduce((size, part) => size + sizeOf(part), 0);
    case 'choice':
      return node.options.reduce((size, option) => size + sizeOf(option), 1);
    case 'repeat':
      return (1 + sizeOf(node.part)) * (node.most === Infinity ? node.least + 1 : node.most) + 1;
  }
}
