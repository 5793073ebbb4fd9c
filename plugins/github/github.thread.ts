import type { Subject } from 'throughline/plugin';

/** An issue or a pull request by ids that never change. */
export interface Numbered {
  readonly repository: number;
  readonly number: number;
}

/** From `<repository id>#<number>`, which is the key of a subject and the id of its thread. */
export function numbered(id: string): Numbered | null {
  const [, repository, number] = /^([1-9]\d{0,15})#([1-9]\d{0,15})$/.exec(id) ?? [];
  return repository === undefined ? null : { repository: Number(repository), number: Number(number) };
}

/** The issue or pull request that a conversation is about; null: it is about something else, or at another GitHub. */
export function numberedSubject({ namespace, key }: Subject, host: string): Numbered | null {
  const found = numbered(key);
  return found !== null && namespace === `github:${host}:${found.repository}` ? found : null;
}
