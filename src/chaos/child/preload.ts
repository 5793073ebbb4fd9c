// Loaded into a server before its own code (`node --import`): the server itself knows nothing of chaos.
import module from 'node:module';
import { text } from 'node:stream/consumers';
import type { Orders } from '../fleet/server-child.js';
import { pointNamed } from './points.js';
import { shiftClock } from './shift-clock.js';
import { Trap } from './trap.js';
import { watchPostgres } from './watch-postgres.js';
import { watchAgents, watchAnswers } from './watch-process.js';
import { watchSqlite } from './watch-sqlite.js';

const LOOK_MS = 250;

// Whoever kills the program that started it, ends it too.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && process.kill(process.pid, 'SIGKILL'), LOOK_MS).unref();

shiftClock(Number(process.env['CHAOS_SHIFT_MS'] ?? 0));

// Most of a start is loading: it is done while the incarnation before this one still lives.
module.enableCompileCache();
await import('../../server.js');

const { point: name, nth, report } = JSON.parse(await text(process.stdin)) as Orders;
if (name !== null) {
  const point = pointNamed(name);
  if (point === null) throw new Error(`there is no point ${name}`);
  const trap = new Trap(point, nth, report);
  watchSqlite(trap);
  watchPostgres(trap);
  watchAnswers(trap);
  watchAgents(trap);
}
