import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigFault } from '../plugin/index.js';

const KEY_BYTES = 32;
const VARIABLE = 'THROUGHLINE_ENCRYPTION_KEY';

/**
 * The key of this installation: from the environment, else from the data folder, where the first start makes one that only its owner
 * can read. Replicas without a common data folder have to be given the same one.
 */
export async function encryptionKey(env: NodeJS.ProcessEnv, dataDir: string): Promise<Buffer> {
  const given = env[VARIABLE]?.trim();
  if (given) return decoded(given, VARIABLE);
  const file = path.join(dataDir, 'encryption-key');
  const stored = (await readKey(file)) ?? (await makeKey(file));
  return decoded(stored, file);
}

function decoded(text: string, from: string): Buffer {
  const key = Buffer.from(text, 'base64');
  const isBase64 = key.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '');
  if (isBase64 && key.length === KEY_BYTES) return key;
  throw new ConfigFault(`${from} is not ${KEY_BYTES} bytes in base64; make some with: openssl rand -base64 ${KEY_BYTES}`);
}

async function readKey(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new ConfigFault(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Two processes may start at once: the link is there whole or not at all, and the second takes the key of the first. */
async function makeKey(file: string): Promise<string> {
  await mkdir(path.dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  const text = randomBytes(KEY_BYTES).toString('base64');
  await writeFile(draft, `${text}\n`, { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, file);
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return (await readKey(file)) ?? text;
  } finally {
    await unlink(draft);
  }
}
