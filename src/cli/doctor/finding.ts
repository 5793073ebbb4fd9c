export type Verdict = 'ok' | 'warning' | 'fault';

/** One thing that was looked at, and what to do about it. */
export interface Finding {
  readonly name: string;
  readonly verdict: Verdict;
  readonly message: string;
  /** What mends it, or what to do with it, in a sentence; null when nothing has to be done. */
  readonly fix: string | null;
}

/** Findings about one thing: the machine, the database, a connection. */
export interface Section {
  readonly title: string;
  readonly findings: readonly Finding[];
}

export function ok(name: string, message: string, use: string | null = null): Finding {
  return { name, verdict: 'ok', message, fix: use };
}

/** It works, and a person should know. */
export function warning(name: string, message: string, fix: string): Finding {
  return { name, verdict: 'warning', message, fix };
}

/** It will not work. */
export function fault(name: string, message: string, fix: string): Finding {
  return { name, verdict: 'fault', message, fix };
}

export function count(sections: readonly Section[], verdict: Verdict): number {
  return sections.flatMap(({ findings }) => findings).filter((finding) => finding.verdict === verdict).length;
}
