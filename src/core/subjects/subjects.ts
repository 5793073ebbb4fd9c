import { type Tx, tuples } from '../../database/tx.js';
import type { Subject } from '../../plugin/index.js';
import type { Lifetime } from '../conversations/conversation.js';

export interface SubjectKey extends Subject {
  readonly org: string;
}

export interface SubjectRow extends SubjectKey, Lifetime {}

/** One text per subject, for maps and for the one order in which subjects are locked. */
export function subjectText({ org, namespace, key }: SubjectKey): string {
  return JSON.stringify([org, namespace, key]);
}

/** Locks the subjects, those never seen before too, always in one order, and tells how their lives went so far. */
export async function lockSubjects(tx: Tx, subjects: readonly SubjectKey[]): Promise<SubjectRow[]> {
  if (subjects.length === 0) return [];
  const sorted = [...subjects].sort(compare);
  const keys = sorted.flatMap(({ org, namespace, key }) => [org, namespace, key]);
  await tx.run(`insert into subjects (org, namespace, key) values ${tuples(sorted.length, 3)} on conflict do nothing`, keys);
  const each = sorted.map(() => '(org = ? and namespace = ? and key = ?)').join(' or ');
  return tx.all(
    `select org, namespace, key, state, reason, revision, strength from subjects where ${each} order by org, namespace, key${tx.dialect.forUpdate}`,
    keys,
  );
}

export async function saveSubjects(tx: Tx, subjects: readonly SubjectRow[]): Promise<void> {
  for (const s of subjects)
    await tx.run(
      `update subjects set state = ?, reason = ?, revision = ?, strength = ?, changed_at = ${tx.dialect.now} where org = ? and namespace = ? and key = ?`,
      [s.state, s.reason, s.revision, s.strength, s.org, s.namespace, s.key],
    );
}

function compare(a: SubjectKey, b: SubjectKey): number {
  const left = subjectText(a);
  const right = subjectText(b);
  return left < right ? -1 : Number(left > right);
}
