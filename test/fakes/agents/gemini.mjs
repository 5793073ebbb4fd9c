// Stands in for Gemini with its rules: ids are its own, and an unknown one is refused with exit code 42.
import { randomUUID } from 'node:crypto';
import { args, begin, isKnown, refuse, say, turnsOf } from './state.mjs';

const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const resume = option('-r');
if (option('-o') !== 'stream-json') await refuse(42, 'Error: this stand-in only speaks stream-json');
if (!option('-p'))
  await refuse(42, 'Error: No input provided via stdin. Input can be provided by piping data into gemini or using the --prompt option.');
if (resume && !isKnown(resume)) await refuse(42, `Error resuming session: Invalid session identifier "${resume}".`);

const id = resume ?? randomUUID();
process.stdout.write('Loaded cached credentials.\n');
say({ type: 'init', session_id: id, model: 'stand-in' });
const commands = await begin(id);
const chunk = (content) => say({ type: 'message', role: 'assistant', content, delta: true });
say({ type: 'message', role: 'user', content: 'the prompt' });
for (const [name, rest] of commands) {
  if (name === 'say') for (const word of rest.split(' ')) chunk(word);
  if (name === 'tool') {
    say({ type: 'tool_use', tool_name: rest, tool_id: 't', parameters: { a: 1 } });
    say({ type: 'tool_result', tool_id: 't', status: 'success', output: '' });
  }
  if (name === 'warn') say({ type: 'error', severity: 'warning', message: rest });
  if (name === 'fail') {
    say({ type: 'result', status: 'error', error: { type: 'Error', message: rest } });
    process.exit(1);
  }
}
chunk(`${turnsOf(id)} turns`);
say({ type: 'result', status: 'success', stats: {} });
