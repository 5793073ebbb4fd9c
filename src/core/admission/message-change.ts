import type { Trust } from '../deliveries/delivery.js';

/** A message that may have been admitted before is not what it was. Needs no database. */
export interface MessageChange {
  readonly messageKey: string;
  /** What it says now, where its route has no words of its own for it; null: nothing, it was withdrawn. */
  readonly text: string | null;
  readonly revision: string | null;
  /** By the name of the route that took the message. */
  readonly routes: ReadonlyMap<string, RoutedChange>;
  /** Where the message may be, besides the conversations about the event's subject. */
  readonly conversations: readonly string[];
}

export interface RoutedChange {
  readonly text: string | null;
  /** How an agent that was given the message is told; null: it is not. */
  readonly delivery: { readonly trust: Trust; readonly waking: boolean; readonly wakeAfterMs: number | null } | null;
  readonly afterClose: 'ignore' | 'answer';
}
