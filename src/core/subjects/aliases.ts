import type { Subject } from '../../plugin/index.js';
import { type SubjectKey, type SubjectRow, subjectText } from './subjects.js';

/** Which subjects have their conversations under another one, as far as a transaction has locked them. */
export class Aliases {
  private readonly targets = new Map<string, Subject>();

  constructor(rows: readonly SubjectRow[]) {
    for (const row of rows) {
      const { alias_namespace: namespace, alias_key: key } = row;
      if (namespace !== null && key !== null) this.targets.set(subjectText(row), { namespace, key });
    }
  }

  /** The subject of the conversations. */
  canonical({ org, namespace, key }: SubjectKey): SubjectKey {
    return { org, ...(this.targets.get(subjectText({ org, namespace, key })) ?? { namespace, key }) };
  }

  isAlias(subject: SubjectKey): boolean {
    return this.targets.has(subjectText(subject));
  }

  bind(alias: SubjectKey, to: Subject): void {
    this.targets.set(subjectText(alias), { namespace: to.namespace, key: to.key });
  }
}
