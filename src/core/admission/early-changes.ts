import { type SubjectKey, subjectText } from '../subjects/subjects.js';
import type { MessageChange } from './message-change.js';

/** A change of a message that has not arrived yet, with the receipt that brought it. */
export interface EarlyChange {
  readonly change: MessageChange;
  readonly receipt: number;
}

export interface KeptChange extends SubjectKey {
  readonly messageKey: string;
  readonly receipt: number;
}

/** Changes that came before their messages, by subject and message. Needs no database. */
export class EarlyChanges {
  /** To be written. */
  readonly kept = new Map<string, KeptChange>();
  private readonly subjects = new Set<string>();
  private readonly changes = new Map<string, EarlyChange>();

  /** The subject has some: they are to be read. */
  expect(subject: SubjectKey): void {
    this.subjects.add(subjectText(subject));
  }

  mayHave(subject: SubjectKey): boolean {
    return this.subjects.has(subjectText(subject));
  }

  remember(subject: SubjectKey, early: EarlyChange): void {
    this.changes.set(placeOf(subject, early.change.messageKey), early);
  }

  of(subject: SubjectKey, messageKey: string): EarlyChange | null {
    return this.changes.get(placeOf(subject, messageKey)) ?? null;
  }

  /** Of several the last one counts: in the order of the provider where it tells one, else as they come; a withdrawal is for good. */
  keep({ org, namespace, key }: SubjectKey, early: EarlyChange): void {
    const { messageKey } = early.change;
    const subject = { org, namespace, key };
    const before = this.of(subject, messageKey);
    if (before !== null && !supersedes(early.change, before.change)) return;
    this.remember(subject, early);
    this.kept.set(placeOf(subject, messageKey), { ...subject, messageKey, receipt: early.receipt });
  }
}

function supersedes(later: MessageChange, earlier: MessageChange): boolean {
  if (earlier.text === null) return false;
  return later.text === null || later.revision === null || earlier.revision === null || later.revision > earlier.revision;
}

function placeOf(subject: SubjectKey, messageKey: string): string {
  return `${subjectText(subject)} ${messageKey}`;
}
