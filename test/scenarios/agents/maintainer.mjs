// An agent as people run one: it speaks the Agent Client Protocol by the official SDK, keeps its sessions in its folder, asks leave for what
// it would run, and writes with the tools of its conversation by the SDK of the Model Context Protocol. It looks into an issue, asks what to
// do, and reports when it was told to go ahead. At three points it waits at the gate that it is given, so that a test decides how long that takes.
// `--silent` asks leave for nothing and says nothing before it has asked to report.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { agent, methods, ndJsonStream, PROTOCOL_VERSION, RequestError } from '@agentclientprotocol/sdk';

const [gate, ...flags] = process.argv.slice(2);
const isSilent = flags.includes('--silent');
const sessions = new Map();

const at = (point) => fetch(`${gate}/${process.env.THROUGHLINE_CONVERSATION_ID}/${point}`);
const fileOf = (id) => path.join(process.cwd(), `session-${id}.json`);
const keep = (id) => writeFileSync(fileOf(id), JSON.stringify(sessions.get(id).done));

async function report(mcpServers, body) {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const [{ url, headers }] = mcpServers;
  const client = new Client({ name: 'maintainer', version: '1' });
  const requestInit = { headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  const { tools } = await client.listTools();
  const { name } = tools.find((tool) => tool.name.endsWith('_comment'));
  const { content } = await client.callTool({ name, arguments: { body } });
  await client.close();
  return JSON.parse(content[0].text).status;
}

async function isAllowed(client, sessionId, command) {
  await client.notify(methods.client.session.update, {
    sessionId,
    update: {
      sessionUpdate: 'tool_call',
      toolCallId: 'tests',
      title: command,
      kind: 'execute',
      status: 'pending',
      rawInput: { command },
    },
  });
  const options = ['allow_once', 'reject_once'].map((kind) => ({ optionId: kind, name: kind, kind }));
  const { outcome } = await client.request(methods.client.session.requestPermission, {
    sessionId,
    toolCall: { toolCallId: 'tests' },
    options,
  });
  return outcome.optionId === 'allow_once';
}

async function lookInto(say) {
  await say('Jobs that are due while the scheduler restarts are dropped.');
  await at('looking');
  await say(' The fix is on a branch. Shall I run its tests, and report here?');
}

async function goAhead(say, { client, sessionId, session }) {
  if (!isSilent) await say('I run the tests of the branch.');
  await at('working');
  if (!isSilent && !(await isAllowed(client, sessionId, 'npm test'))) return say('Then I leave it.');
  const status = await report(session.mcpServers, 'Jobs survive a restart of the scheduler now: 212 tests pass.');
  await say(status === 'awaiting_approval' ? 'All 212 pass. I have asked to report that in the issue.' : `It is ${status}.`);
}

async function sumUp(say, { session }) {
  await at('reporting');
  await say(`It stands in the issue. This was turn ${session.done.length + 1} of one session.`);
}

async function work({ sessionId, prompt }, client) {
  const session = sessions.get(sessionId);
  if (!session) throw RequestError.resourceNotFound(sessionId);
  const [{ text }] = prompt;
  const say = (words) =>
    client.notify(methods.client.session.update, {
      sessionId,
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: words } },
    });
  const turn = text.includes('and it is done') ? sumUp : text.includes('go ahead') ? goAhead : lookInto;
  await turn(say, { client, sessionId, session });
  // A turn that is given again, because nobody heard of its end, is the same turn.
  if (!session.done.includes(turn.name)) session.done.push(turn.name);
  keep(sessionId);
  return { stopReason: 'end_turn' };
}

function open(id, done, { mcpServers }) {
  sessions.set(id, { done, mcpServers });
  keep(id);
}

const app = agent({ name: 'maintainer' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: PROTOCOL_VERSION,
    agentCapabilities: { loadSession: true, mcpCapabilities: { http: true } },
  }))
  .onRequest(methods.agent.session.new, async ({ params }) => {
    const sessionId = `maintainer-${process.pid}`;
    await at('note-new');
    open(sessionId, [], params);
    return { sessionId };
  })
  .onRequest(methods.agent.session.load, async ({ params }) => {
    if (!existsSync(fileOf(params.sessionId))) throw RequestError.resourceNotFound(params.sessionId);
    await at('note-load');
    open(params.sessionId, JSON.parse(readFileSync(fileOf(params.sessionId), 'utf8')), params);
    return {};
  })
  .onRequest(methods.agent.session.prompt, ({ params, client }) => work(params, client));

// Like any agent of this protocol: without its client there is nothing to do.
process.stdin.once('end', () => process.exit());
app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
