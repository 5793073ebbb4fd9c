// An agent that speaks the Agent Client Protocol by the official SDK. What it does in a turn stands in its messages, one command a line:
// say, think, tool, plan, ask, cost, wait, write, crash, hang, hold (until the file GO is there), flood, line, stderr, garbage, stop, mode, files, env. Its sessions live in a folder, as with real agents.
// How it is started: `--no-load`, `--resume`, `--no-http`, `--version N`, `--login`, `--deaf` (ignores cancel), `--silent`, `--lost`,
// `--undying` (lives on when its input is closed and when it is asked to end), `--unread` (never reads its input).
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { agent, methods, ndJsonStream, PROTOCOL_VERSION, RequestError } from '@agentclientprotocol/sdk';

const args = process.argv.slice(2);
const has = (flag) => args.includes(`--${flag}`);
const option = (flag) => (has(flag) ? args[args.indexOf(`--${flag}`) + 1] : undefined);
const note = (line) => process.env.AGENT_LOG && appendFileSync(process.env.AGENT_LOG, `${line}\n`);

note(`start ${process.pid}`);
if (has('silent')) setInterval(() => {}, 1000);
process.stderr.write('the agent is up\n');

const sessions = new Map();
let cancelled = () => {};

const fileOf = (id) => path.join(process.cwd(), `session-${id}.json`);
const keep = (id) => writeFileSync(fileOf(id), JSON.stringify(sessions.get(id).said));
const modes = () => ({
  currentModeId: 'code',
  availableModes: [
    { id: 'code', name: 'Code' },
    { id: 'plan', name: 'Plan' },
  ],
});
const chunk = (text, sessionUpdate = 'agent_message_chunk', messageId) => ({
  sessionUpdate,
  content: { type: 'text', text },
  ...(messageId ? { messageId } : {}),
});

function open(id, said, { cwd, mcpServers }) {
  if (cwd !== process.cwd()) throw RequestError.invalidParams({ details: `${cwd} is not where the agent runs` });
  sessions.set(id, { said, mcpServers, mode: 'code' });
  keep(id);
}

function takeUp({ sessionId, ...request }) {
  if (has('lost')) throw RequestError.internalError({ details: 'the disk is full' });
  if (!existsSync(fileOf(sessionId))) throw RequestError.resourceNotFound(sessionId);
  open(sessionId, JSON.parse(readFileSync(fileOf(sessionId), 'utf8')), request);
}

const commands = {
  say: (say, text) => say(chunk(text)),
  think: (say, text) => say(chunk(text, 'agent_thought_chunk')),
  tool: async (say, title) => {
    await say({
      sessionUpdate: 'tool_call',
      toolCallId: 'call-1',
      title,
      kind: 'execute',
      status: 'pending',
      rawInput: { command: title },
    });
    await say({ sessionUpdate: 'tool_call_update', toolCallId: 'call-1', status: 'failed' });
  },
  plan: (say, text) => say({ sessionUpdate: 'plan', entries: [{ content: text, priority: 'high', status: 'completed' }] }),
  cost: (say, amount) => say({ sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: Number(amount), currency: 'USD' } }),
  ask: async (say, title, { client, sessionId }) => {
    await say({ sessionUpdate: 'tool_call', toolCallId: title, title: `Run ${title}`, rawInput: { command: title }, status: 'pending' });
    const kinds = ['allow_always', 'allow_once', 'reject_once'];
    const options = kinds.map((kind) => ({ optionId: `opt-${kind}`, name: kind, kind }));
    const { outcome } = await client.request(methods.client.session.requestPermission, {
      sessionId,
      toolCall: { toolCallId: title },
      options,
    });
    note(`permission ${outcome.outcome}`);
    await say(chunk(`[${outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome}]`));
  },
  hang: () => new Promise(() => {}),
  hold: async () => {
    while (!existsSync(process.env.GO)) await delay(20);
  },
  crash: (_say, code) => {
    process.stderr.write('out of memory\n');
    process.exit(Number(code || 1));
  },
  flood: async (say, count) => {
    for (let index = 0; index < Number(count); index++) await say(chunk('x'.repeat(10_000)));
  },
  garbage: (_say, count) => {
    for (let index = 0; index < Number(count || 1); index++) process.stdout.write(`garbage ${index}\n`);
    process.stdout.write(
      '[]\n{"jsonrpc":"2.0","id":77,"result":{}}\n{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":7,"update":[]}}\n',
    );
    process.stdout.write(
      '{"jsonrpc":"2.0","method":"session/update","params":7}\n{"jsonrpc":"1.0","id":0,"result":{"stopReason":"refusal"}}\n',
    );
  },
  line: (_say, bytes) => new Promise((resolve) => process.stdout.write(`${'y'.repeat(Number(bytes))}\n`, () => resolve())),
  stderr: (_say, bytes) => new Promise((resolve) => process.stderr.write(`${'z'.repeat(Number(bytes))}the end of it\n`, () => resolve())),
  write: async (say, file, { client, sessionId }) => {
    const asked = client.request(methods.client.fs.writeTextFile, { sessionId, path: file, content: 'from the agent' });
    await say(
      chunk(
        await asked.then(
          () => 'written',
          (error) => `refused: ${error.code}`,
        ),
      ),
    );
  },
  closed: () => {
    process.stdout.end();
    return new Promise(() => setInterval(() => {}, 1000));
  },
  fail: () => Promise.reject(RequestError.internalError({ details: 'the model is overloaded' })),
  memory: (say, _text, { session }) => say(chunk(`${session.said.length} turns`)),
  mode: (say, _text, { session }) => say(chunk(session.mode)),
  tools: (say, _text, { session }) => say(chunk(JSON.stringify(session.mcpServers))),
  env: (say, name) => say(chunk(process.env[name] ?? 'not set')),
  links: (say, _text, { prompt }) =>
    say(
      chunk(
        prompt
          .slice(1)
          .map((block) => `${block.type} ${block.name} ${block.uri}`)
          .join(),
      ),
    ),
  prompt: (say, _text, { prompt }) => say(chunk(prompt[0].text)),
};

async function work({ sessionId, prompt }, client) {
  const session = sessions.get(sessionId);
  if (!session) throw RequestError.resourceNotFound(sessionId);
  const text = prompt[0].text;
  let isCancelled = false;
  const cancel = new Promise((resolve) => (cancelled = resolve)).then(() => (isCancelled = true));
  const say = (update) => client.notify(methods.client.session.update, { sessionId, update });
  session.said.push(text);
  keep(sessionId);
  for (const line of text.split('\n')) {
    const [, name, rest] = /^!(\w+) ?(.*)$/.exec(line) ?? [];
    if (name === 'stop') return { stopReason: rest };
    const done = commands[name]?.(say, rest, { client, sessionId, session, prompt });
    await (name === 'hang' && !has('deaf') ? cancel : done);
    if (isCancelled) note('cancelled');
    if (isCancelled && !has('deaf')) return { stopReason: 'cancelled' };
  }
  return { stopReason: 'end_turn' };
}

const app = agent({ name: 'fake' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: Number(option('version') ?? PROTOCOL_VERSION),
    agentCapabilities: {
      loadSession: !has('no-load'),
      mcpCapabilities: { http: !has('no-http') },
      sessionCapabilities: has('resume') ? { resume: {} } : {},
    },
    authMethods: [{ id: 'key', name: 'API key' }],
  }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    if (has('login')) throw RequestError.authRequired();
    const sessionId = `fake-${process.pid}-${sessions.size}`;
    note(`new ${sessionId}`);
    open(sessionId, [], params);
    return { sessionId, modes: modes() };
  })
  .onRequest(methods.agent.session.load, async ({ params, client }) => {
    note(`load ${params.sessionId}`);
    takeUp(params);
    for (const text of sessions.get(params.sessionId).said)
      for (const each of [chunk(text, 'user_message_chunk'), chunk('an old answer')])
        await client.notify(methods.client.session.update, { sessionId: params.sessionId, update: each });
    await client.notify(methods.client.session.update, {
      sessionId: params.sessionId,
      update: { sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 5, currency: 'USD' } },
    });
    return { modes: modes() };
  })
  .onRequest(methods.agent.session.resume, ({ params }) => {
    note(`resume ${params.sessionId}`);
    takeUp(params);
    return { modes: modes() };
  })
  .onRequest(methods.agent.session.setMode, ({ params }) => {
    sessions.get(params.sessionId).mode = params.modeId;
    return {};
  })
  .onRequest(methods.agent.session.prompt, ({ params, client }) => work(params, client))
  .onNotification(methods.agent.session.cancel, () => cancelled());

if (!has('silent') && !has('unread')) app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
if (has('unread') || has('undying')) setInterval(() => {}, 1000);
if (has('silent') || has('deaf') || has('undying')) process.on('SIGTERM', () => note('ignores SIGTERM'));
