// A process of its own that posts a load: told what by the first message, begins on the second, answers with what became of each post.
import { setTimeout as delay } from 'node:timers/promises';
import { now } from '../measure/clock.mjs';
import { Connection } from './connection.mjs';
import { issueComment } from './issue-comment.mjs';
import { plan } from './plan.mjs';

let producers = [];
let outcome;

process.on('message', async ({ prepare, go }) => {
  if (prepare) {
    producers = await prepared(prepare);
    process.send('ready');
  }
  if (go) {
    await Promise.all(producers.map((producer, index) => produce(producer, index, now())));
    for (const { connections } of producers) for (const connection of connections) connection.close();
    process.send(outcome, () => process.disconnect());
  }
});

async function prepared(load) {
  const lists = plan(load);
  const total = lists.reduce((sum, posts) => sum + posts.length, 0);
  outcome = {
    subject: new Int32Array(total),
    number: new Int32Array(total),
    isRepeat: new Uint8Array(total),
    status: new Uint16Array(total),
    postedAt: new Float64Array(total),
    answeredAt: new Float64Array(total),
  };
  let next = 0;
  return Promise.all(
    lists.map(async (posts) => {
      const connections = load.urls.map((url) => new Connection(url));
      await Promise.all(connections.map((connection) => connection.open()));
      const requests = withRequests(posts, new URL(load.urls[0]).host);
      const first = next;
      next += posts.length;
      return { connections, requests, first, intervalMs: load.rate ? (1000 * lists.length) / load.rate : 0, of: lists.length };
    }),
  );
}

/** A repeat is the very same request. */
function withRequests(posts, host) {
  const made = new Map();
  return posts.map((post) => {
    const key = `${post.subject}:${post.number}`;
    const bytes = made.get(key) ?? issueComment(post.subject, post.number, host);
    made.set(key, bytes);
    return { ...post, bytes };
  });
}

/** One post after another; with a rate, none before its time. Who waits for an answer past the next time counts from that time. */
async function produce({ connections, requests, first, intervalMs, of }, index, begunAt) {
  for (const [i, request] of requests.entries()) {
    const dueAt = begunAt + intervalMs * (i + index / of);
    const early = intervalMs > 0 ? dueAt - now() : 0;
    if (early > 0) await delay(early);
    const postedAt = early < 0 ? dueAt : now();
    const status = await connections[i % connections.length].post(request.bytes);
    note(first + i, request, status, postedAt);
  }
}

function note(at, { subject, number, isRepeat }, status, postedAt) {
  outcome.subject[at] = subject;
  outcome.number[at] = number;
  outcome.isRepeat[at] = isRepeat ? 1 : 0;
  outcome.status[at] = status;
  outcome.postedAt[at] = postedAt;
  outcome.answeredAt[at] = now();
}
