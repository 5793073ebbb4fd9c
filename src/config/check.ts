import type { Type } from '@nestjs/common';
import { type ValidationError, validateSync } from 'class-validator';
import type { Fault } from '../plugin/index.js';
import { isName, NAME_RULE } from './names.js';
import { didYouMean } from './near.js';
import { isMap, joinPath, type RawMap } from './raw.js';
import { fieldsOf, type Nested, opennessOf } from './schema/field.js';

/**
 * Reads a section. What is wrong becomes faults, and has its default in the section that is returned: so the checks that
 * come after can run, and all faults are told at once.
 */
export function readSection<T extends object>(of: Type<T>, raw: unknown, path: string, faults: Fault[]): T {
  const section = new of();
  if (!isMap(raw)) {
    faults.push({ path, message: 'must be a map of keys' });
    return section;
  }
  const defaults = new of();
  const { plain, nested, rest } = split(of, raw);
  Object.assign(section, plain, opennessOf(of) === null ? {} : { rest });
  const errors = validate(section);
  faults.push(...faultsOf(errors, path, [...fieldsOf(of).keys()]));
  for (const { property } of errors) Reflect.set(section, property, Reflect.get(defaults, property));
  for (const [key, field] of nested) Reflect.set(section, key, readNested(field, raw[key], joinPath(path, key), faults));
  return section;
}

interface Parts {
  readonly plain: RawMap;
  readonly nested: ReadonlyMap<string, Nested>;
  readonly rest: RawMap;
}

function split(of: Type<object>, raw: RawMap): Parts {
  const fields = fieldsOf(of);
  const isOpen = opennessOf(of) !== null;
  const parts = { plain: {} as RawMap, nested: new Map<string, Nested>(), rest: {} as RawMap };
  for (const [key, value] of Object.entries(raw)) {
    const nested = fields.get(key)?.nested;
    if (nested && nested.shape !== 'variables') parts.nested.set(key, nested);
    else if (isOpen && !fields.has(key)) parts.rest[key] = value;
    else parts.plain[key] = value;
  }
  return parts;
}

function readNested(nested: Nested, raw: unknown, path: string, faults: Fault[]): unknown {
  if (nested.shape === 'section') {
    const isOff = nested.mayBeOff && (raw === 'off' || raw === false);
    return isOff ? 'off' : readSection(nested.of(), raw, path, faults);
  }
  if (nested.shape === 'list') return readList(nested.of(), raw, path, faults);
  const entries = new Map<string, unknown>();
  if (nested.shape === 'variables') return entries;
  if (!isMap(raw)) {
    faults.push({ path, message: 'must be a map from names to sections' });
    return entries;
  }
  for (const [name, entry] of Object.entries(raw)) {
    if (!isName(name)) faults.push({ path: joinPath(path, name), message: `the name ${NAME_RULE}` });
    entries.set(name, readSection(nested.of(), entry, joinPath(path, name), faults));
  }
  return entries;
}

function readList(of: Type<object>, raw: unknown, path: string, faults: Fault[]): object[] {
  if (Array.isArray(raw)) return raw.map((item: unknown, index) => readSection(of, item, `${path}[${index}]`, faults));
  faults.push({ path, message: 'must be a list of maps of keys' });
  return [];
}

/** Everything that class-validator has against an object, keys that its class does not declare included. */
export function validate(object: object): ValidationError[] {
  return validateSync(object, {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: false,
    stopAtFirstError: true,
  });
}

/** Puts the message of a failed check into words. */
export type Wording = (message: string, error: ValidationError) => string;

/** `keys`: what an unknown key may have been meant for. */
export function faultsOf(
  errors: readonly ValidationError[],
  path: string,
  keys: readonly string[],
  wording: Wording = (message) => message,
): Fault[] {
  return errors.flatMap((error) => {
    const at = /^\d+$/.test(error.property) ? `${path}[${error.property}]` : joinPath(path, error.property);
    const own = Object.entries(error.constraints ?? {}).map(([rule, message]) => ({
      path: at,
      message: rule === 'whitelistValidation' ? unknownKey(error.property, keys) : wording(message, error),
    }));
    return [...own, ...faultsOf(error.children ?? [], at, [], wording)];
  });
}

/** `path`: of the section in which it is unknown, where the fault itself does not say so. */
export function unknownKey(key: string, keys: readonly string[], path = ''): string {
  return `unknown key \`${key}\`${path === '' ? '' : ` in \`${path}\``}${didYouMean(key, keys)}`;
}
