import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from '@jest/globals';
import { lives } from '../runtimes/turns.js';
import { comment, ServerProcess, until } from './server-process.js';

const AGENT = fileURLToPath(new URL('../fakes/acp-agent.mjs', import.meta.url));
const TOKEN = 'a-token-for-the-test-of-idle-agents';

let server: ServerProcess;
afterEach(() => server.remove());

it('REC-3 TRM-3 an agent that waits for its next turn does not outlive a server that is killed, whatever it heeds', async () => {
  server = new ServerProcess({
    runtimes: {
      agent: { kind: 'acp', command: [process.execPath, AGENT, '--undying'], env: { AGENT_LOG: path.join('..', '..', '..', 'agent.log') } },
    },
    workspaces: { main: { runtime: 'agent' } },
    routes: { all: { connection: 'gh', workspace: 'main', on: ['issue_comment.*'] } },
  });
  await server.start({ THROUGHLINE_ADMIN_TOKEN: TOKEN });
  expect((await comment(server.url, 1, 1)).body.disposition).toBe('routed');
  const idle = async () => {
    const answer = await fetch(`${server.url}/v1/conversations?status=idle`, { headers: { authorization: `Bearer ${TOKEN}` } });
    return ((await answer.json()) as { items: unknown[] }).items.length === 1;
  };
  await until(idle);
  const log = 'agent.log';
  expect(existsSync(path.join(server.folder, log))).toBe(true);
  const pid = Number(/start (\d+)/.exec(server.read(log))?.[1]);
  expect(await lives(pid)).toBe(true);
  await server.end('SIGKILL');
  await until(async () => !(await lives(pid)));
}, 60_000);
