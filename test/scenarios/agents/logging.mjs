// Takes its time, then says in a file which messages it has handled: what the tests hold against what was sent.
import { appendFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

const [log, takes] = process.argv.slice(2);
const { turn, conversation } = JSON.parse(await text(process.stdin));
await delay(Number(takes));
for (const message of turn.messages) appendFileSync(log, `${conversation.id} ${message.sequence} ${turn.attempt}\n`);
process.stdout.write(`${JSON.stringify({ type: 'result', text: `handled ${turn.messages.length}` })}\n`);
