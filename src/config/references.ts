import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Fault } from '../plugin/index.js';
import { isMap, joinPath } from './raw.js';

/** Where references are looked up: variables, and the folder that files are relative to. */
export interface ReferenceSources {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
}

/** In a runtime's `env` the keys are variables of its process, so that map itself is never a reference. */
const VARIABLES_OF_A_RUNTIME = /^runtimes\.[^[\]]+\.env$/;

/** Puts what they refer to in place of all `{ env: NAME }` and `{ file: PATH }`. */
export function resolveReferences(value: unknown, sources: ReferenceSources, faults: Fault[], path = ''): unknown {
  if (Array.isArray(value)) return value.map((item, index) => resolveReferences(item, sources, faults, `${path}[${index}]`));
  if (!isMap(value)) return value;
  const reference = VARIABLES_OF_A_RUNTIME.test(path) ? null : asReference(value);
  if (reference !== null) return lookUp(reference, sources, path, faults);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, resolveReferences(item, sources, faults, joinPath(path, key))]),
  );
}

interface Reference {
  readonly kind: 'env' | 'file';
  readonly target: string;
}

function asReference(value: Record<string, unknown>): Reference | null {
  const [entry, ...others] = Object.entries(value);
  if (entry === undefined || others.length > 0) return null;
  const [kind, target] = entry;
  return (kind === 'env' || kind === 'file') && typeof target === 'string' ? { kind, target } : null;
}

function lookUp(reference: Reference, sources: ReferenceSources, path: string, faults: Fault[]): string {
  const { text, fault } = reference.kind === 'env' ? fromVariable(reference.target, sources) : fromFile(reference.target, sources);
  if (fault !== null) faults.push({ path, message: fault });
  return text;
}

interface Found {
  readonly text: string;
  readonly fault: string | null;
}

function fromVariable(name: string, { variables }: ReferenceSources): Found {
  const text = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (text === undefined) return { text: '', fault: `the environment variable \`${name}\` is not set` };
  return { text, fault: text === '' ? `the environment variable \`${name}\` is empty` : null };
}

function fromFile(target: string, { folder }: ReferenceSources): Found {
  try {
    const text = readFileSync(resolve(folder, target), 'utf8').replace(/\r?\n$/, '');
    return { text, fault: text === '' ? `the file \`${target}\` is empty` : null };
  } catch (cause) {
    const code = typeof cause === 'object' && cause !== null && 'code' in cause ? ` (${String(cause.code)})` : '';
    return { text: '', fault: `the file \`${target}\` cannot be read${code}` };
  }
}
