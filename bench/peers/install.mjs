// The peers' packages, in this folder alone, at the versions of its lock.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runNpm } from '../../scripts/run/child.mjs';

const FOLDER = import.meta.dirname;
const STAMP = path.join(FOLDER, 'node_modules', '.installed');

/** Does nothing when they are there. */
export async function installPeers() {
  const lock = createHash('sha256')
    .update(readFileSync(path.join(FOLDER, 'package-lock.json')))
    .digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === lock) return;
  await runNpm('installing the peers', ['ci', '--prefix', FOLDER, '--ignore-scripts', '--no-audit', '--no-fund']);
  writeFileSync(STAMP, lock);
}
