// Stands in for Claude Code with its rules about sessions: ids are UUIDs of ours, belong to a folder, and are begun only once.
import { args, begin, isKnown, refuse, say, turnsOf } from './state.mjs';

const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const resume = option('--resume');
const own = option('--session-id');
const id = resume ?? own;

if (!args.includes('-p')) await refuse(1, 'Error: this stand-in only prints');
if (option('--output-format') === 'stream-json' && !args.includes('--verbose'))
  await refuse(1, 'Error: stream-json with -p requires --verbose');
if (resume && own) await refuse(1, 'Error: --session-id can only be used with --resume if --fork-session is also specified.');
if (!/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(id ?? '')) await refuse(1, 'Error: Invalid session ID. Must be a valid UUID.');
if (resume && !isKnown(id)) await refuse(1, `No conversation found with session ID: ${id}`);
if (own && (isKnown(id) || process.env.ALWAYS_IN_USE)) await refuse(1, `Error: Session ID ${id} is already in use.`);

const commands = await begin(id);
const text = (words, parent = null) =>
  say({ type: 'assistant', message: { content: [{ type: 'text', text: words }] }, parent_tool_use_id: parent, session_id: id });
const result = (fields) =>
  say({ type: 'result', subtype: 'success', is_error: false, session_id: id, total_cost_usd: 0.5, permission_denials: [], ...fields });

say({ type: 'system', subtype: 'init', session_id: id, cwd: process.cwd(), tools: [], model: 'stand-in' });
for (const [name, rest] of commands) {
  if (name === 'say') text(rest);
  if (name === 'helper') text(rest, 'toolu_1');
  if (name === 'tool') say({ type: 'assistant', message: { content: [{ type: 'tool_use', id: 't', name: rest, input: { a: 1 } }] } });
  if (name === 'retry') say({ type: 'system', subtype: 'api_retry', attempt: 2 });
  if (name === 'mcp') text(`${option('--mcp-config')} ${process.env.THROUGHLINE_MCP_TOKEN}`);
  if (name === 'die') process.exit(1);
  if (name === 'leave') process.exit(0);
  if (name === 'max-turns') {
    result({ subtype: 'error_max_turns', is_error: true });
    process.exit(1);
  }
  if (name === 'fail') {
    result({ is_error: true, result: rest, permission_denials: [{ tool_name: 'Bash' }] });
    process.exit(1);
  }
}
result({ result: `${turnsOf(id)} turns` });
