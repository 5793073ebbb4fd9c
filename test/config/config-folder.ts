import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from '@jest/globals';
import type { Config } from '../../src/config/config.js';
import { InvalidConfiguration } from '../../src/config/invalid-configuration.js';
import { type LoadRequest, loadConfig } from '../../src/config/load-config.js';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A fresh folder with these files in it. */
export function folderWith(files: Record<string, string>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'throughline-config-')));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

type Options = Partial<LoadRequest>;

export async function configOf(yaml: string, options: Options = {}): Promise<Config> {
  const cwd = options.cwd ?? folderWith({ 'throughline.config.yaml': yaml });
  return (await loadConfig({ env: {}, ...options, cwd })).config;
}

/** The refusal of what must not load. */
export async function refusalOf(load: Promise<unknown>): Promise<InvalidConfiguration> {
  const outcome = await load.then(
    () => 'it was accepted',
    (error: unknown) => error,
  );
  if (outcome instanceof InvalidConfiguration) return outcome;
  throw outcome instanceof Error ? outcome : new Error(String(outcome));
}

/** Faults of a YAML text as `path: message` lines. */
export async function faultsOf(yaml: string, options: Options = {}): Promise<string[]> {
  const { faults } = await refusalOf(configOf(yaml, options));
  return faults.map(({ path, message }) => `${path}: ${message}`);
}
