/**
 * The external thing that an event is about. Two values are the same subject only when both parts are equal, byte for byte.
 * Both are made of immutable provider ids, never of names that people can change.
 */
export interface Subject {
  /** Provider, tenant and kind, for example `github:github.com:1296269`. */
  readonly namespace: string;
  /** 1 to 500 characters, for example `1296269#12`. A longer key is refused by the host, never truncated. */
  readonly key: string;
}

/** Who caused an event, as the provider says it. */
export interface Author {
  /** The provider's immutable id. */
  readonly id: string;
  /** Login or display name, for people to read. */
  readonly name: string;
  /**
   * The name by which lists of people may name the author beside the id: one that the provider gives to nobody else, such as a login. null:
   * there is none. Left out: `name` is one, so leave it out only where nobody can choose to be called like somebody else.
   */
  readonly handle?: string | null;
  readonly isBot: boolean;
  /** An identity of ours that no person can use (an app, a bot user): always known by id, never guessed from a name. */
  readonly isSelf?: boolean;
  /** The provider's roles or associations of the author with the subject, for example `MEMBER`; lists of authors in routes may name them. */
  readonly roles?: readonly string[];
}

/**
 * What an event says about the state of its subject.
 * `transition`: the event *is* the change (closed, reopened); false: the state is merely carried by another event.
 */
export interface Observation {
  readonly state: 'open' | 'terminal';
  /** Why it ended, in one word of the provider's: `completed`, `canceled`, `duplicate`, `merged`, `closed`, `deleted`, `transferred`. */
  readonly reason?: string;
  /**
   * The provider's revision, ordered by plain string comparison, or null where the provider has none.
   * Make it of an instant with `instantRevision`.
   */
  readonly revision: string | null;
  readonly transition: boolean;
}

const ISO_INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;
const LAST_OF_FOUR_DIGITS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** An ISO-8601 instant with its zone, or epoch milliseconds, as a revision (24 characters, UTC); null for anything else. */
export function instantRevision(value: unknown): string | null {
  if (typeof value === 'string' ? !ISO_INSTANT.test(value) : typeof value !== 'number') return null;
  const time = new Date(value as string | number).getTime();
  return time >= 0 && time <= LAST_OF_FOUR_DIGITS ? new Date(time).toISOString() : null;
}
