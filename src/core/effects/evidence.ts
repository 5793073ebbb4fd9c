import { createHmac, hash } from 'node:crypto';
import type { CallbackEvidence, EvidenceIds } from '../../plugin/index.js';

/** What an effect and its callbacks have in common, less the subject. */
export interface ScopeParts {
  readonly org: string;
  readonly provider: string;
  readonly account: string;
  readonly kind: string;
  readonly action: string;
}

export function scopeHash({ org, provider, account, kind, action }: ScopeParts): Buffer {
  return sha256([org, provider, account, kind, action]);
}

/** Kind, action and the ids, whatever the order in which they are named. */
export function evidenceHash({ kind, action }: Pick<CallbackEvidence, 'kind' | 'action'>, ids: EvidenceIds): Buffer {
  return sha256({ kind, action, ids });
}

/** What was asked for, in a form that says nothing to whoever has not the key. */
export function requestHash(key: Buffer, tool: string, input: object): Buffer {
  return createHmac('sha256', key)
    .update(`effect-request:${canonicalJson([tool, input])}`)
    .digest();
}

/** The id under which a write is known to the provider: a UUID of version 4 that nobody else can tell from the effect's own id. */
export function effectKey(key: Buffer, effect: string): string {
  const bytes = createHmac('sha256', key).update(`effect-key:${effect}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** One text for one JSON value: keys in code-unit order, no white space. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value as Record<string, unknown>).filter(([, field]) => field !== undefined);
  const sorted = fields.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join()}}`;
}

function sha256(value: unknown): Buffer {
  return hash('sha256', canonicalJson(value), 'buffer');
}
