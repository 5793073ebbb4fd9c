import type { Fault } from '../../plugin/index.js';
import { didYouMean } from '../near.js';
import type { ConfigFile } from '../schema/root.js';

/** Null: fine; else what is wrong, for people. */
export type SourceCheck = (source: string) => string | null;

/** What the resolution of one section needs from around it. */
export interface Scope {
  readonly file: ConfigFile;
  /** Folder that relative paths are relative to. */
  readonly folder: string;
  /** Names of plugins that are there without being enabled. */
  readonly given: readonly string[];
  readonly checkExpression: SourceCheck;
  readonly checkPattern: SourceCheck;
  readonly faults: Fault[];
}

/** Tells the fault when `name` is none of those that there are; the default '' of a missing required name has its fault already. */
export function checkExists(what: string, name: string, present: Iterable<string>, path: string, scope: Scope): void {
  const names = [...present];
  if (name === '' || names.includes(name)) return;
  const known = names.length === 0 ? '; there is none' : didYouMean(name, names);
  scope.faults.push({ path, message: `there is no ${what} \`${name}\`${known}` });
}

export function checkOrg(org: string, path: string, scope: Scope): void {
  checkExists('org', org, scope.file.orgs, `${path}.org`, scope);
}

/** Webhooks of the API are not looked for: they are made and deleted while the server runs. What the file has is a connection. */
export function checkWebhook(webhook: string, connection: string | undefined, path: string, { file, faults }: Scope): void {
  if (connection !== undefined) faults.push({ path, message: 'is in place of a connection; write one of them' });
  else if (file.connections.has(webhook)) faults.push({ path, message: `there is a connection \`${webhook}\`; name it as such` });
}
