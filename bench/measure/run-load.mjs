// One load on one running system, measured and judged.
import { setTimeout as delay } from 'node:timers/promises';
import { prepareLoad } from '../load/load.mjs';
import { now } from './clock.mjs';
import { acceptFigures, turnFigures } from './figures.mjs';
import { busySeconds, cpuSeconds } from './usage.mjs';

const LOOK_MS = 25;
const QUIET_MS = 10_000;

/**
 * Posts the load and waits until all that was accepted is done, or nothing happens any more.
 * `works: false`: nobody works on what is accepted, so nobody waits for it and nothing is judged.
 * Resolves to the figures and to what was accepted: by mark, when it was posted.
 */
export async function runLoad(system, load, { works = true } = {}) {
  const prepared = await prepareLoad({ urls: system.urls, ...load });
  system.journal.forget();
  const used = usageOf(system);
  const posts = await prepared.go();
  const accepted = acceptedMarks(posts);
  if (works) await allDone(system.journal, accepted);
  const { events } = system.journal;
  const figures = { ...acceptFigures(posts), ...(works ? turnFigures(accepted, events) : {}), ...used(accepted.size) };
  return { figures, accepted };
}

/** Waits until what was accepted earlier is done. Resolves to the figures, counted from the first turn. */
export async function runBacklog(system, accepted) {
  const used = usageOf(system);
  await allDone(system.journal, accepted);
  const { events } = system.journal;
  const from = events.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
  return { ...turnFigures(accepted, events, from), startMs: null, ...used(accepted.size) };
}

/** Resolves when all that was accepted has ended, or when nothing happened for long. */
async function allDone(journal, accepted) {
  const isOpen = (mark) => !journal.ended.has(mark);
  let seen = -1;
  let lastChange = now();
  while ((journal.ended.size < accepted.size || [...accepted.keys()].some(isOpen)) && now() - lastChange < QUIET_MS) {
    await delay(LOOK_MS);
    journal.read();
    if (journal.events.length !== seen) lastChange = now();
    seen = journal.events.length;
  }
  // What is handled again is handled soon after.
  await delay(4 * LOOK_MS);
  journal.read();
}

/** CPU of the system, of its database, and of programs that are none of ours, until it is called. Null where the machine does not tell. */
function usageOf({ pids, databasePids }) {
  const read = () => ({
    server: cpuSeconds(pids),
    database: cpuSeconds(databasePids),
    ours: cpuSeconds([process.pid, ...databasePids]),
    busy: busySeconds(),
    at: now(),
  });
  const before = read();
  return (deliveries) => {
    const after = read();
    if (after.busy === null || deliveries === 0) return { cpuMicros: { server: null, database: null }, foreignCpus: null };
    const spent = (key) => after[key] - before[key];
    const each = (key) => (spent(key) * 1e6) / deliveries;
    const foreignCpus = Math.max(0, spent('busy') - spent('ours')) / ((after.at - before.at) / 1000);
    return { cpuMicros: { server: each('server'), database: each('database') }, foreignCpus };
  };
}

function acceptedMarks(posts) {
  const accepted = new Map();
  for (let i = 0; i < posts.status.length; i++) {
    if (posts.isRepeat[i] || posts.status[i] !== 200) continue;
    accepted.set(`${posts.subject[i]}:${posts.number[i]}`, posts.postedAt[i]);
  }
  return accepted;
}
