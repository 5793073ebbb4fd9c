// The agent of the demo: a program that reads one JSON document from stdin and prints events, one JSON object a line. It thinks for
// a moment and says what it was told; a real one would ask a model. What it remembers it keeps in its conversation's folder.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

const SHORTEST_MS = 300;
const LONGEST_MS = 800;

const { conversation, turn, session, workspace } = JSON.parse(await text(process.stdin));
const log = path.join(workspace, 'turns.jsonl');
const [first] = turn.messages;

say({ type: 'status', text: `reading ${turn.messages.length === 1 ? 'a message' : `${turn.messages.length} messages`}` });
say({ type: 'session', id: session ?? `demo-${conversation.id.slice(0, 8)}` });
await pause(thinkingTime(first.delivery));

const number = turnNumber();
// The work itself: what must happen once. It is the last thing before the answer, so that a turn which was killed had most likely not done it.
appendFileSync(
  log,
  `${JSON.stringify({ turn: turn.id, first: first.delivery, deliveries: turn.messages.map(({ delivery }) => delivery) })}\n`,
);
const several = turn.messages.length > 1 ? `, ${turn.messages.length} messages at once` : '';
const answer = `turn ${number}${several}: “${lastLineOf(turn.messages.at(-1))}”`;
say({ type: 'text', text: answer });
say({ type: 'result', text: answer });

function say(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

/** Which turn of its session this is. One that is repeated after a crash is the same turn. */
function turnNumber() {
  const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').filter(Boolean) : [];
  const others = new Set(lines.map((line) => JSON.parse(line).first));
  others.delete(first.delivery);
  return others.size + 1;
}

/** Between the two, and the same for the same delivery. */
function thinkingTime(delivery) {
  const [byte] = createHash('sha256').update(delivery).digest();
  return SHORTEST_MS + ((LONGEST_MS - SHORTEST_MS) * byte) / 255;
}

/** What somebody wrote stands below what happened; links say nothing to people who look at a table. */
function lastLineOf({ text: words }) {
  const lines = words.split('\n').map((line) => line.trim());
  return lines.findLast((line) => line !== '' && !/^https?:\/\/\S+$/.test(line)) ?? '';
}
