// Stands in for Codex with its rules: ids are its own, options stand before `resume`, and a lost connection is no end.
import { randomUUID } from 'node:crypto';
import { args, begin, isKnown, refuse, say, turnsOf } from './state.mjs';

const WITH_VALUE = ['--sandbox', '-s', '--cd', '-C', '-m', '--model', '-c', '--config'];
const AFTER_RESUME = ['--json', '-m', '--model', '-c', '--config', '--skip-git-repo-check'];
const options = {};
const words = [];
if (args[0] !== 'exec') await refuse(2, 'error: this stand-in only knows exec');
for (let index = 1; index < args.length; index++) {
  const argument = args[index];
  if (!argument.startsWith('-') || argument === '-') words.push(argument);
  else if (words.includes('resume') && !AFTER_RESUME.includes(argument)) await refuse(2, `error: unexpected argument '${argument}' found`);
  else options[argument] = WITH_VALUE.includes(argument) ? args[++index] : true;
}
const thread = words[0] === 'resume' ? words[1] : undefined;
if (words.at(-1) !== '-') await refuse(2, 'error: the prompt comes by stdin in this stand-in');
if (options['--cd'] !== process.cwd()) await refuse(1, `error: ${options['--cd']} is not where it runs`);
if (!options['--json']) await refuse(1, 'error: no --json');
if (thread && !isKnown(thread)) await refuse(1, `Error: thread/resume: thread/resume failed: no rollout found for thread id ${thread}`);

const id = thread ?? randomUUID();
say({ type: 'thread.started', thread_id: id });
const commands = await begin(id);
const item = (type, fields) => say({ type: 'item.completed', item: { id: String(Math.random()), type, ...fields } });
say({ type: 'turn.started' });
for (const [name, rest] of commands) {
  if (name === 'say') item('agent_message', { text: rest });
  if (name === 'think') item('reasoning', { text: rest });
  if (name === 'run') {
    say({ type: 'item.started', item: { id: 'i', type: 'command_execution', command: rest, status: 'in_progress' } });
    say({ type: 'item.completed', item: { id: 'i', type: 'command_execution', command: rest, exit_code: 0 } });
  }
  if (name === 'tool') item('mcp_tool_call', { server: 'throughline', tool: rest, arguments: { a: 1 } });
  if (name === 'reconnect') say({ type: 'error', message: 'Reconnecting... 2/5' });
  if (name === 'options') item('agent_message', { text: JSON.stringify(options) });
  if (name === 'die') process.exit(1);
  if (name === 'fail') {
    say({ type: 'turn.failed', error: { message: rest } });
    process.exit(1);
  }
}
item('agent_message', { text: `${turnsOf(id)} turns` });
say({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } });
if (commands.some(([name]) => name === 'untidy')) process.exit(3);
