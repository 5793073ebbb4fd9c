import { InvalidInput, type Subject } from 'throughline/plugin';

const ISSUE = /^linear:([^:]+):issue$/;

/** The issue that a subject is, by its organisation. Throws `InvalidInput` for any other subject. */
export function issueOf({ namespace, key }: Subject): { readonly account: string; readonly id: string } {
  const account = ISSUE.exec(namespace)?.[1];
  if (account === undefined) throw new InvalidInput('this conversation is about no issue of Linear');
  return { account, id: key };
}

/** Nothing when the subject is no issue. */
export function issueIdOf(subject: Subject | null): string | undefined {
  return subject !== null && ISSUE.test(subject.namespace) ? subject.key : undefined;
}
