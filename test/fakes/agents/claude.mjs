// Stands in for Claude Code with its rules about sessions: ids are UUIDs of ours, belong to a folder, and are begun only once.
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { args, commandsOf, isKnown, keep, record, say, turnsOf } from './state.mjs';

const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const resume = option('--resume');
const own = option('--session-id');
const id = resume ?? own;

function refuse(code, words) {
  process.stderr.write(`${words}\n`, () => process.exit(code));
  return new Promise(() => undefined);
}

if (!args.includes('-p')) await refuse(1, 'Error: this stand-in only prints');
if (option('--output-format') === 'stream-json' && !args.includes('--verbose'))
  await refuse(1, 'Error: stream-json with -p requires --verbose');
if (resume && own) await refuse(1, 'Error: --session-id can only be used with --resume if --fork-session is also specified.');
if (!/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(id ?? '')) await refuse(1, 'Error: Invalid session ID. Must be a valid UUID.');
if (resume && !isKnown(id)) await refuse(1, `No conversation found with session ID: ${id}`);
if (own && (isKnown(id) || process.env.ALWAYS_IN_USE)) await refuse(1, `Error: Session ID ${id} is already in use.`);

for (const option of ['--input-format', '--replay-user-messages'])
  if (!args.includes(option)) await refuse(1, `Error: this stand-in is asked with ${option}`);

const text = (words, parent = null) =>
  say({ type: 'assistant', message: { content: [{ type: 'text', text: words }] }, parent_tool_use_id: parent, session_id: id });
// Costs add up over all that one start of it does.
let spent = 0;
function result(fields) {
  spent += 0.5;
  say({ type: 'result', subtype: 'success', is_error: false, session_id: id, total_cost_usd: spent, permission_denials: [], ...fields });
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
let next = lines.next();
let isFirst = true;

/** Takes the message up, which it shows, and does what it says. A message that comes meanwhile joins where the work says `!listen`. */
async function work({ value: line, done }) {
  if (done) return false;
  next = lines.next();
  const frame = JSON.parse(line);
  const prompt = frame.message.content.map((block) => block.text).join('');
  record('taken.log', prompt);
  say({ ...frame, session_id: id, isReplay: true });
  if (isFirst) {
    keep(id, prompt);
    say({ type: 'system', subtype: 'init', session_id: id, cwd: process.cwd(), tools: [], model: 'stand-in' });
  }
  isFirst = false;
  for (const command of commandsOf(prompt)) await obey(command);
  return true;
}

/** Until the file GO is there; a message that comes meanwhile joins. */
async function hold() {
  if (existsSync(process.env.GO)) return;
  next.then(work);
  while (!existsSync(process.env.GO)) await delay(20);
}

async function obey([name, rest]) {
  if (name === 'hold') await hold();
  if (name === 'say') text(rest);
  if (name === 'helper') text(rest, 'toolu_1');
  if (name === 'tool') say({ type: 'assistant', message: { content: [{ type: 'tool_use', id: 't', name: rest, input: { a: 1 } }] } });
  if (name === 'retry') say({ type: 'system', subtype: 'api_retry', attempt: 2 });
  if (name === 'mcp') text(`${option('--mcp-config')} ${process.env.THROUGHLINE_MCP_TOKEN}`);
  if (name === 'listen') await work(await next);
  if (name === 'die') process.exit(1);
  if (name === 'leave') process.exit(0);
  if (name === 'max-turns') result({ subtype: 'error_max_turns', is_error: true });
  if (name === 'fail') result({ is_error: true, result: rest, permission_denials: [{ tool_name: 'Bash' }] });
  if (name === 'max-turns' || name === 'fail') process.exit(1);
}

while (await work(await next)) result({ result: `${turnsOf(id)} turns` });
