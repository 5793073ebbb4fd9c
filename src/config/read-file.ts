import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { InvalidConfiguration } from './invalid-configuration.js';
import { type RawFile, readJson, readYaml } from './read-text.js';

const EXTENSIONS = ['.ts', '.mjs', '.js', '.json', '.yaml', '.yml'] as const;

export interface FileChoice {
  readonly cwd: string;
  /** The file that was asked for, relative to `cwd`; undefined: `throughline.config.*` in `cwd`. */
  readonly asked: string | undefined;
}

/** The configuration file to read; null when there is none and none was asked for. */
export function findConfigFile({ cwd, asked }: FileChoice): string | null {
  if (asked !== undefined) return checkAsked(resolve(cwd, asked));
  const present = EXTENSIONS.map((extension) => join(cwd, `throughline.config${extension}`)).filter((file) => existsSync(file));
  const [file, other] = present;
  if (file !== undefined && other !== undefined) {
    throw refuse(file, `\`${other}\` exists too; keep one of them, or name one with --config`);
  }
  return file ?? null;
}

function checkAsked(file: string): string {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw refuse(file, 'there is no such file');
  if (!EXTENSIONS.some((extension) => extension === extname(file))) {
    throw refuse(file, `a configuration file ends in ${EXTENSIONS.join(', ')}`);
  }
  return file;
}

export async function readConfigFile(file: string): Promise<RawFile> {
  const extension = extname(file);
  if (extension !== '.json' && extension !== '.yaml' && extension !== '.yml') return readModule(file);
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  return extension === '.json' ? readJson(text) : readYaml(text);
}

/** Variables for references, from `.env` in the folder of the configuration. */
export function readDotEnv(folder: string): Readonly<Record<string, string | undefined>> {
  const file = join(folder, '.env');
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return {};
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw refuse(file, 'cannot be read', { cause });
  }
}

async function readModule(file: string): Promise<RawFile> {
  // Loaded for files that are code alone: it costs a good part of a cold start.
  const { loadConfig: loadModule } = await import('c12');
  try {
    // Nothing but this file: no rc files, no package.json, no layers, no environment sections, no .env.
    const { config } = await loadModule<Record<string, unknown>>({
      cwd: dirname(file),
      configFile: file,
      rcFile: false,
      globalRc: false,
      packageJson: false,
      extend: false,
      giget: false,
      envName: false,
      dotenv: false,
      merger: (...sources) => sources.find((source) => source !== undefined && source !== null) ?? {},
    });
    return { value: config, routes: [], faults: [] };
  } catch (cause) {
    const [firstLine = ''] = String(cause instanceof Error ? cause.message : cause).split('\n');
    throw refuse(file, `cannot be run: ${firstLine}`, { cause });
  }
}

function refuse(file: string, message: string, options?: ErrorOptions): InvalidConfiguration {
  return new InvalidConfiguration(file, [{ path: '', message }], options);
}
