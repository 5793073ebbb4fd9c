// The agent of chaos: it tells a file outside what it handles, line by line, and is judged by that alone. One file takes the lines of
// all agents in the order in which they were written.
import { appendFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

const [log, takesMs, failing] = process.argv.slice(2);
const { conversation, turn } = JSON.parse(await text(process.stdin));
const server = process.env.CHAOS_SERVER;

say('session', { id: `chaos-${conversation.id}` });
const failsAt = Math.random() < Number(failing) ? Math.floor(Math.random() * turn.messages.length) : -1;
for (const [index, message] of turn.messages.entries()) {
  note('begin', message);
  await pause(Number(takesMs));
  note('at work', message);
  if (index === failsAt) {
    note('fail', message);
    process.stderr.write('it does not want to\n');
    process.exit(1);
  }
  note('end', message);
  say('text', { text: `handled ${message.sequence}` });
}
say('result', { text: `handled ${turn.messages.length}` });

function note(what, { delivery, sequence, text: words }) {
  const [sent = ''] = /chaos-[\w-]+/.exec(words) ?? [];
  const line = { at: Date.now(), server, conversation: conversation.id, turn: turn.id, what, delivery, sequence, sent };
  appendFileSync(log, `${JSON.stringify(line)}\n`);
}

function say(type, fields) {
  process.stdout.write(`${JSON.stringify({ type, ...fields })}\n`);
}
