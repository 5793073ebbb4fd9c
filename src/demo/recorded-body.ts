import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Step } from './script.js';

export interface RecordedBody {
  readonly bytes: Buffer;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The recorded bytes: as they are, or where the step changes something, written anew with the changes. */
export function recordedBody(step: Step, fixtures: string): RecordedBody {
  const bytes = readFileSync(path.join(fixtures, step.fixture));
  const fields = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
  const changes = Object.entries(step.changes ?? {});
  if (changes.length === 0) return { bytes, fields };
  for (const [at, value] of changes) change(fields, at.split('.'), value);
  return { bytes: Buffer.from(JSON.stringify(fields)), fields };
}

/** Sets what is there. A path that leads nowhere means that the recording is another one than was thought. */
function change(fields: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (!(key in fields)) throw new Error(`the recorded body has no ${key}`);
  if (rest.length === 0) fields[key] = value;
  else change(fields[key] as Record<string, unknown>, rest, value);
}
