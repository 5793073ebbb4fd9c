import type { Type } from '@nestjs/common';
import type { Fault } from '../plugin/index.js';
import { unknownKey } from './check.js';
import { bareKey } from './near.js';
import { copyRaw, isMap, isUnsafeKey, joinPath, type RawMap } from './raw.js';
import { readYaml } from './read-text.js';
import { type Field, fieldsOf, opennessOf } from './schema/field.js';
import { ConfigFile } from './schema/root.js';
import { RuntimeSection } from './schema/runtime.js';

const PREFIX = 'THROUGHLINE_';
const REFERENCES = ['env', 'file'];

/** Variables that are no keys of the configuration: the server's own, and those that runtimes and runs give to agents. */
const RESERVED: ReadonlySet<string> = new Set(
  [
    ...['ADMIN_TOKEN', 'CONFIG', 'ENCRYPTION_KEY', 'TEST_PG_URL'],
    ...['CONVERSATION_ID', 'TURN_ID', 'SESSION_ID', 'WORKSPACE', 'MCP_URL', 'MCP_TOKEN'],
    ...['RUN_ID', 'ORG', 'AUTOMATION_ID', 'EVENT', 'CALLBACK_URL', 'PHASE_URL', 'RUN_TOKEN', 'AGENT_SERVER_URL'],
  ].map((name) => PREFIX + name),
);

type Variables = Readonly<Record<string, string | undefined>>;

/** What may stand at a place: keys of a section, names of entries, or anything. */
type Place =
  | { readonly kind: 'section'; readonly of: Type<object> }
  | { readonly kind: 'entries'; readonly of: Type<object> }
  | { readonly kind: 'variables' }
  | { readonly kind: 'free' }
  | { readonly kind: 'value'; readonly verbatim: boolean };

/**
 * Writes the values of `THROUGHLINE_<PATH>` into the raw configuration, in alphabetical order of the variables.
 * Returns which variable set which path.
 */
export function applyOverrides(raw: RawMap, variables: Variables, faults: Fault[]): ReadonlyMap<string, string> {
  const origins = new Map<string, string>();
  for (const variable of Object.keys(variables).sort()) {
    const text = variables[variable];
    if (!variable.startsWith(PREFIX) || RESERVED.has(variable) || text === undefined) continue;
    const outcome = override(raw, variable.slice(PREFIX.length).split('__'), text, faults);
    if ('path' in outcome) origins.set(outcome.path, variable);
    else faults.push({ path: variable, message: outcome.fault });
  }
  return origins;
}

type Outcome = { readonly path: string } | { readonly fault: string };

/** Finds the key that the segments mean, and only then writes: a variable that names no key changes nothing. */
function override(raw: RawMap, segments: readonly string[], text: string, faults: Fault[]): Outcome {
  let at: At = { path: '', place: { kind: 'section', of: ConfigFile }, value: raw };
  const keys: string[] = [];
  for (const segment of segments) {
    const step = descend(at, segment);
    if ('fault' in step) return step;
    keys.push(step.key);
    at = { path: joinPath(at.path, step.key), place: step.place, value: isMap(at.value) ? at.value[step.key] : undefined };
  }
  const parsed = parseValue(text, at.place);
  if ('fault' in parsed) return parsed;
  write(raw, keys, copyRaw(parsed.value, at.path, faults));
  return { path: at.path };
}

interface At {
  readonly path: string;
  readonly place: Place;
  readonly value: unknown;
}

type Step = { readonly key: string; readonly place: Place } | { readonly fault: string };

function descend(at: At, segment: string): Step {
  if (bareKey(segment) === '') return { fault: 'has an empty level; two underscores stand between levels' };
  const step = at.place.kind === 'section' ? keyOfSection(at.place.of, at, segment) : keyOfOther(at.place, at, segment);
  return 'key' in step && isUnsafeKey(step.key) ? { fault: `\`${step.key}\` is refused as a key` } : step;
}

function keyOfSection(of: Type<object>, at: At, segment: string): Step {
  const fields = fieldsOf(of);
  const declared = match(fields.keys(), segment);
  if (declared !== null) return { key: declared, place: placeOf(fields.get(declared)) };
  const openness = opennessOf(of);
  if (openness === null) return { fault: unknownKey(segment.toLowerCase(), [...fields.keys()], at.path) };
  const key = match([...keysOf(at), ...openness.known()], segment) ?? camelCase(segment);
  return { key, place: { kind: of === RuntimeSection && key === 'env' ? 'variables' : 'free' } };
}

function keyOfOther(place: Exclude<Place, { kind: 'section' }>, at: At, segment: string): Step {
  const existing = match(keysOf(at), segment);
  const rival = keysOf(at).find((key) => key !== existing && bareKey(key) === bareKey(segment));
  switch (place.kind) {
    case 'variables':
      // Names of variables are exact.
      return { key: segment, place: { kind: 'value', verbatim: true } };
    case 'entries':
      if (rival !== undefined) return { fault: `may mean \`${existing}\` or \`${rival}\` of \`${at.path}\`; set it in the file` };
      return { key: existing ?? segment.toLowerCase(), place: { kind: 'section', of: place.of } };
    case 'free':
      return { key: existing ?? camelCase(segment), place };
    case 'value': {
      const reference = place.verbatim ? match(REFERENCES, segment) : null;
      if (reference === null) return { fault: `\`${at.path}\` is a value, and has no key \`${segment.toLowerCase()}\`` };
      return { key: reference, place: { kind: 'value', verbatim: true } };
    }
  }
}

function keysOf({ value }: At): string[] {
  return isMap(value) ? Object.keys(value) : [];
}

function placeOf(field: Field | undefined): Place {
  if (field === undefined || !field.built) return { kind: 'free' };
  if (field.nested === null) return { kind: 'value', verbatim: field.verbatim };
  if (field.nested.shape === 'variables') return { kind: 'variables' };
  // A list is set whole, as YAML.
  if (field.nested.shape === 'list') return { kind: 'value', verbatim: false };
  return { kind: field.nested.shape, of: field.nested.of() };
}

function match(keys: Iterable<string>, segment: string): string | null {
  return [...keys].find((key) => bareKey(key) === bareKey(segment)) ?? null;
}

function camelCase(segment: string): string {
  return segment.toLowerCase().replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

type Parsed = { readonly value: unknown } | { readonly fault: string };

function parseValue(text: string, place: Place): Parsed {
  // A secret may look like a number, a flag or a comment; only quotes around all of it are YAML's.
  if (place.kind === 'value' && place.verbatim && !/^(["']).*\1$/s.test(text)) return { value: text };
  const { value, faults } = readYaml(text);
  return faults.length > 0 ? { fault: 'holds no YAML value' } : { value: value ?? undefined };
}

function write(raw: RawMap, keys: readonly string[], value: unknown): void {
  const [key = '', ...below] = keys;
  if (below.length === 0) {
    raw[key] = value;
    return;
  }
  const child = raw[key];
  const map: RawMap = isMap(child) ? child : {};
  raw[key] = map;
  write(map, below, value);
}
