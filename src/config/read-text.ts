import { isMap as isYamlMap, LineCounter, parseDocument } from 'yaml';
import type { ConfigurationFault } from './invalid-configuration.js';

/** What a file says, before anything is checked. `routes`: their names in the order of the file, which objects lose for names of digits. */
export interface RawFile {
  readonly value: unknown;
  readonly routes: readonly string[];
  readonly faults: readonly ConfigurationFault[];
}

/** Reads YAML. Messages never quote the text, since it may hold a secret. */
export function readYaml(text: string): RawFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'silent' });
  const faults = document.errors.map(({ message, pos }) => {
    const { line, col } = lines.linePos(pos[0]);
    return { path: '', message: message.replace(/: .*$/s, ''), line, column: col };
  });
  if (faults.length > 0) return { value: null, routes: [], faults };
  try {
    return { value: document.toJS(), routes: routeNames(document.get('routes')), faults };
  } catch {
    // Thrown for aliases alone; the message would quote them.
    return { value: null, routes: [], faults: [{ path: '', message: 'an alias (`*name`) has no anchor, or there are too many aliases' }] };
  }
}

/** Reads JSON: strictly, with the places of faults and of doubled keys found by the YAML reader, of which JSON is a part. */
export function readJson(text: string): RawFile {
  const asYaml = readYaml(text);
  try {
    return { ...asYaml, value: JSON.parse(text) };
  } catch (cause) {
    return { value: null, routes: [], faults: asYaml.faults.length > 0 ? asYaml.faults : [placeOf(cause)] };
  }
}

function placeOf(cause: unknown): ConfigurationFault {
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(String(cause)) ?? [];
  const place = line === undefined || column === undefined ? {} : { line: Number(line), column: Number(column) };
  return { path: '', message: 'is no valid JSON', ...place };
}

function routeNames(routes: unknown): string[] {
  return isYamlMap(routes) ? routes.items.map(({ key }) => String(key)) : [];
}
