// Folders that are gone with the benchmark, however it ends.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const made = new Set();

process.on('exit', () => {
  for (const folder of made) removeFolder(folder);
});

export function makeFolder() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-bench-'));
  made.add(folder);
  return folder;
}

export function removeFolder(folder) {
  made.delete(folder);
  // A process that is being killed may still write there.
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
