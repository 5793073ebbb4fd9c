// Reads the turn's document and says what it got, in every kind of event.
import { text } from 'node:stream/consumers';

const document = JSON.parse(await text(process.stdin));
const say = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
say({ type: 'status', text: 'reading' });
say({ type: 'session', id: 'session-7' });
say({ type: 'tool', name: 'grep', input: { pattern: 'x' } });
say({ type: 'cost', usd: 0.25 });
say({ type: 'text', text: JSON.stringify(document) });
say({ type: 'text', text: JSON.stringify({ env: process.env, cwd: process.cwd() }) });
say({ type: 'result', text: 'draft' });
say({ type: 'result', text: `done: ${document.turn.messages.map((message) => message.text).join(' | ')}` });
