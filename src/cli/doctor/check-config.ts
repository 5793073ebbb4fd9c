import type { LoadedConfig } from '../../config/config.js';
import type { Fault } from '../../plugin/index.js';
import { connectionTitle, secretPlace } from './check-connections.js';
import { type Finding, fault, ok, type Section, warning } from './finding.js';
import type { LenientConfig } from './lenient-config.js';

const SECRET = /\.secrets?\b/;
const OF_CONNECTION = /^connections\.([^.[\]]+)/;

/** The file, and those of its faults that belong to no connection. */
export function checkConfig({ file, loaded, faults }: LenientConfig): Section {
  const general = faults.filter(({ path }) => connectionOf(path) === null).map((each) => findingOf(each, file));
  const name = file ?? 'no throughline.config.* here';
  const start = file === null && loaded !== null ? warning('File', name, 'Write one with: throughline init') : ok('File', name);
  const rest = loaded === null ? [warning('Rest', 'not looked at', 'Mend the faults first, then run doctor again.')] : [];
  return { title: 'Configuration', findings: [start, ...general, ...rest] };
}

/** The faults of connections, each in the section of its connection. */
export function connectionFaults({ file, loaded, faults }: LenientConfig): ReadonlyMap<string, readonly Finding[]> {
  const byName = new Map<string, Finding[]>();
  for (const each of faults) {
    const name = connectionOf(each.path);
    if (name === null) continue;
    const finding = findingOf(each, file, secretHint(each, pluginOf(loaded, name)));
    byName.set(name, [...(byName.get(name) ?? []), finding]);
  }
  return byName;
}

/** Those that the configuration could not be read with, or whose name it does not know. */
export function faultSections(faults: ReadonlyMap<string, readonly Finding[]>, known: readonly Section[]): Section[] {
  const sections = [...faults].map(([name, findings]) => ({ title: connectionTitle(name), findings }));
  return sections.filter(({ title }) => !known.some((section) => section.title === title));
}

/** Names of the connections whose secrets are at fault. */
export function withoutSecret({ faults }: LenientConfig): ReadonlySet<string> {
  return new Set(faults.filter(({ path }) => SECRET.test(path)).flatMap(({ path }) => connectionOf(path) ?? []));
}

function connectionOf(path: string): string | null {
  return OF_CONNECTION.exec(path)?.[1] ?? null;
}

function pluginOf(loaded: LoadedConfig | null, name: string): string | undefined {
  return loaded?.config.connections.find((each) => each.name === name)?.plugin;
}

function secretHint({ path }: Fault, plugin: string | undefined): string {
  const place = SECRET.test(path) ? secretPlace(plugin) : null;
  return place === null ? '' : ` It is from ${place}.`;
}

function findingOf({ path, message }: Fault, file: string | null, hint = ''): Finding {
  const variable = /^the environment variable `([^`]+)` is/.exec(message)?.[1];
  const place = file ?? 'the environment';
  const fix =
    variable === undefined
      ? `Correct it in ${place}; docs/configuration.md has all keys.`
      : `Set ${variable} in the environment, or in .env beside the configuration.${hint}`;
  return fault(path === '' ? 'Text' : shortKey(path), message, fix);
}

/** The key within its section, which the title names already. */
function shortKey(path: string): string {
  const key = path.replace(/^connections\.[^.[\]]+\./, '');
  return key.replace(/^secret/, 'Secret');
}
