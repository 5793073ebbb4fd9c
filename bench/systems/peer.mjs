// A peer as a process of its own.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder, removeFolder } from '../folders.mjs';
import { Journal } from '../measure/journal.mjs';
import { startNode } from './child.mjs';

const HOST = fileURLToPath(new URL('../peers/host.mjs', import.meta.url));

export async function startPeer(peer, database) {
  const folder = makeFolder();
  const journal = path.join(folder, 'journal');
  const child = startNode([HOST, peer, journal, database.url], { cwd: folder });
  const stop = async () => {
    await child.end();
    removeFolder(folder);
  };
  try {
    const listening = await child.says(/listens on (\S+)/);
    return { urls: [listening], pids: [child.pid], databasePids: database.pids, journal: new Journal([journal]), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
