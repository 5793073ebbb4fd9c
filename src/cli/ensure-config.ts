import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findConfigFile } from '../config/read-file.js';
import { configTemplate } from '../config/template.js';

export const CONFIG_FILE = 'throughline.config.yaml';

export interface ConfigPlace {
  readonly cwd: string;
  /** The file that was asked for, if one was. */
  readonly file?: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Writes a commented configuration where none was asked for and none is, and prints a line about it.
 * Resolves to the file that it wrote, or null.
 */
export async function ensureConfig(
  { cwd, file, env }: ConfigPlace,
  print: (text: string) => unknown = (text) => process.stdout.write(text),
): Promise<string | null> {
  if (file !== undefined || env.THROUGHLINE_CONFIG || findConfigFile({ cwd, asked: undefined }) !== null) return null;
  const written = writeConfig(cwd);
  print(`created ${written}: a configuration with everything commented out\n`);
  return written;
}

export function writeConfig(folder: string): string {
  const file = join(folder, CONFIG_FILE);
  writeFileSync(file, configTemplate(schemaSeenFrom(folder)), { flag: 'wx' });
  return file;
}

/** In a clone of the repository the schema lies beside the file; elsewhere it comes with the package. */
function schemaSeenFrom(folder: string): string | undefined {
  return existsSync(join(folder, 'throughline.schema.json')) ? './throughline.schema.json' : undefined;
}
