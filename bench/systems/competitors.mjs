// Who takes part on which database. All get the same requests over HTTP and run the same handler.
import { spawnSync } from 'node:child_process';
import { startPeer } from './peer.mjs';
import { startThroughline } from './throughline.mjs';

/** The product, with its waiting messages in one turn and with a turn a delivery. */
export function ours(kind) {
  return [20, 1].map((coalesce) => ({
    name: `throughline-${coalesce}`,
    label: coalesce === 1 ? 'Throughline, a turn a delivery' : `Throughline, coalesce ${coalesce}`,
    kind,
    isOurs: true,
    start: (database, settings = {}) => startThroughline({ database, coalesce, ...settings }),
  }));
}

export function peers(kind) {
  if (kind === 'postgres')
    return [
      peer('pg-boss', 'pg-boss, key_strict_fifo', kind),
      peer('dbos', 'DBOS, partitioned queue', kind),
      peer('graphile-worker', 'graphile-worker, named queues', kind),
      peer('chat-postgres', 'chat SDK, PostgreSQL', kind),
    ];
  const onMemory = peer('chat-memory', 'chat SDK, memory', 'none');
  return hasRedis() ? [onMemory, peer('chat-redis', 'chat SDK, Redis', 'redis')] : [onMemory];
}

/** What could not take part, and why. */
export function absent(kind) {
  return kind === 'sqlite' && !hasRedis() ? ['chat SDK on Redis: there is no redis-server on this machine'] : [];
}

function peer(name, label, kind) {
  return { name, label, kind, isOurs: false, start: (database) => startPeer(name, database) };
}

function hasRedis() {
  return spawnSync('redis-server', ['--version']).status === 0;
}
