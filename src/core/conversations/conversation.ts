import type { Observation } from '../../plugin/index.js';
import { machine } from '../machine.js';

/**
 * What the agent remembers about a subject.
 *
 *   open      events about it wake the agent
 *   terminal  its subject has ended: nothing wakes it until a newer open state reopens it
 */
export const conversation = machine('conversation', {
  open: { observeOpen: 'open', terminate: 'terminal' },
  terminal: { terminate: 'terminal', observeOpen: 'open', reopen: 'open' },
});

/** What an observed state does to what is known. */
const OBSERVED = { open: 'observeOpen', terminal: 'terminate' } as const;

/** How firmly a state is known. At one and the same revision the firmer knowledge stays. */
export const STRENGTH = { carried: 0, transition: 1, operator: 2 } as const;

/** Lifecycle as it is stored, of a provider's subject and of each of its conversations alike; state null: never observed. */
export interface Lifetime {
  readonly state: 'open' | 'terminal' | null;
  readonly reason: string | null;
  readonly revision: string | null;
  readonly strength: number;
}

export const UNOBSERVED: Lifetime = { state: null, reason: null, revision: null, strength: STRENGTH.carried };

export type Reduction =
  /** The state is another one now. */
  | { readonly verdict: 'changed'; readonly lifetime: Lifetime }
  /** Nothing new but a newer revision of the same state. */
  | { readonly verdict: 'advanced'; readonly lifetime: Lifetime }
  /** The same again. */
  | { readonly verdict: 'repeated' }
  /** Older, or less firm, than what is known. */
  | { readonly verdict: 'stale' }
  /** Another change of the very revision that is known: the provider must be asked which of the two came last. */
  | { readonly verdict: 'tied' };

/** How a state was come by, and what then settles two changes of one revision. */
export type Manner =
  /** With an event; the later arrival settles it. */
  | 'event'
  /** With an event of a provider that can be asked: what is stored stays until then. */
  | 'event_to_be_read'
  /** By asking: it beats what any event said of the same revision. */
  | 'read';

/** What an observation makes of what is known: only a newer revision changes it, and an unversioned one never overrides a versioned one. */
export function reduce(known: Lifetime, seen: Observation, manner: Manner = 'event'): Reduction {
  const isSame = known.state === seen.state;
  // What merely advances keeps why it ended, unless it says so anew.
  const reason = seen.reason ?? (isSame ? known.reason : null) ?? 'closed';
  const lifetime: Lifetime = {
    state: conversation.next(known.state ?? 'open', OBSERVED[seen.state]),
    reason: seen.state === 'terminal' ? reason : null,
    revision: seen.revision,
    strength: seen.transition || manner === 'read' ? STRENGTH.transition : STRENGTH.carried,
  };
  if (known.state === null) return { verdict: 'changed', lifetime };
  switch (order(known.revision, seen.revision)) {
    case 'older':
      return { verdict: 'stale' };
    case 'newer':
      return { verdict: isSame ? 'advanced' : 'changed', lifetime };
    case 'equal':
      if (isSame) return { verdict: 'repeated' };
      if (manner === 'event_to_be_read' && isTie(known, lifetime)) return { verdict: 'tied' };
      return isFirmer(known, lifetime, manner) ? { verdict: 'changed', lifetime } : { verdict: 'stale' };
  }
}

/** Which end a conversation is at: the number of ends so far, and the delivery that stands for this one (null: an operator's). */
export interface Ending {
  readonly state: 'open' | 'terminal';
  readonly ending: number;
  readonly ending_sequence: number | null;
}

/** Whether this lifecycle delivery stands for the end that the conversation is at. */
export function isEndingOf(conversation: Ending, sequence: number): boolean {
  return conversation.state === 'terminal' && conversation.ending_sequence === sequence;
}

function order(known: string | null, seen: string | null): 'older' | 'equal' | 'newer' {
  if (known === seen) return 'equal';
  if (seen === null) return 'older';
  return known === null || seen > known ? 'newer' : 'older';
}

function isTie(known: Lifetime, seen: Lifetime): boolean {
  return seen.revision !== null && seen.strength === STRENGTH.transition && known.strength === STRENGTH.transition;
}

/** Two states of one revision: a change beats a state that merely came along; of two changes the later arrival wins. */
function isFirmer(known: Lifetime, seen: Lifetime, manner: Manner): boolean {
  if (manner === 'read') return known.strength !== STRENGTH.operator;
  if (seen.strength !== known.strength) return seen.strength > known.strength;
  return seen.strength === STRENGTH.transition || seen.revision === null;
}
