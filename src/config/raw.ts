import type { Fault } from '../plugin/index.js';

/** A map of keys as it stands in a config file. */
export type RawMap = Record<string, unknown>;

const UNSAFE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const DEEPEST = 64;

export function isUnsafeKey(key: string): boolean {
  return UNSAFE_KEYS.has(key);
}

/** True for plain objects of any realm: a config in TypeScript may be evaluated in another one. */
export function isMap(value: unknown): value is RawMap {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

export function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

/**
 * A copy that may be written to. Keys without a value are left out, as if they were not there, so that a section whose
 * keys are all commented out is legal; keys that could reach a prototype are faults.
 */
export function copyRaw(value: unknown, path: string, faults: Fault[], depth = 0): unknown {
  if (depth > DEEPEST) {
    faults.push({ path: path.slice(0, 80), message: `is nested deeper than ${DEEPEST} levels` });
    return undefined;
  }
  if (Array.isArray(value)) return value.map((item, index) => copyRaw(item, `${path}[${index}]`, faults, depth + 1));
  if (!isMap(value)) return value;
  const copy: RawMap = {};
  for (const [key, item] of Object.entries(value)) {
    if (isUnsafeKey(key)) faults.push({ path: joinPath(path, key), message: `\`${key}\` is refused as a key` });
    else if (item !== null && item !== undefined) copy[key] = copyRaw(item, joinPath(path, key), faults, depth + 1);
  }
  return copy;
}
