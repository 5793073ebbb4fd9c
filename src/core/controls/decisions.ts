import type { Tx } from '../../database/tx.js';
import type { Author } from '../../plugin/index.js';

/** A person wants something in a thread that is bound to the conversation. */
export interface Wanting {
  readonly conversation: string;
  readonly connection: string;
  readonly by: Author;
}

/** A person decided about an approval in a thread: with a button, or in words. */
export interface DecisionRequest extends Wanting {
  readonly org: string;
  /** The provider's id of the thread. */
  readonly thread: string;
  readonly approval: string;
  readonly decision: 'approve' | 'deny';
  readonly reason: string | null;
}

export interface Decided {
  /** What the person is told. */
  readonly text: string;
  /** After the commit: whom the decision concerns is woken. */
  readonly committed?: () => void;
}

/** Who knows of approvals, and of who may what. */
export interface Decisions {
  /** Why this person may not command the host; null: they may. */
  refusal(tx: Tx, wanting: Wanting): Promise<string | null>;
  /**
   * Decides in the transaction that also keeps that this event was carried out, so that it happens once for each event. What cannot be
   * decided (unknown, expired, decided already, somebody who may not) is an answer, and no exception.
   */
  decide(tx: Tx, request: DecisionRequest): Promise<Decided>;
}

/** Where nothing asks for approvals every one is unknown. */
export const NO_DECISIONS: Decisions = {
  refusal: async () => null,
  decide: async () => ({ text: 'This request is not known here, or has expired.' }),
};
