// A Redis with the durability that people run it with: an append-only file, synced every second.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { makeFolder, removeFolder } from '../folders.mjs';

export async function startRedis() {
  const folder = makeFolder();
  const port = await freePort();
  const options = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'yes', appendfsync: 'everysec' };
  const child = spawn(
    'redis-server',
    Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (data) => /Ready to accept connections/.test(String(data)) && resolve(undefined));
    ended.then((code) => reject(new Error(`redis-server ended with ${code}`)));
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    pids: [child.pid],
    drop: async () => {
      child.kill();
      await ended;
      removeFolder(folder);
    },
  };
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
