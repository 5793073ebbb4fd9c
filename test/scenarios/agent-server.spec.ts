import { afterEach, expect, it, jest } from '@jest/globals';
import { eachDatabase, type TestDatabase } from '../databases.js';
import { AgentServerProcess } from './agent-server-process.js';
import { comment, ServerProcess, until } from './server-process.js';

jest.setTimeout(90_000);

const POSTED = /^POST \/api\/conversations\/[^/]+\/events$/;
const SEARCHED = /^GET \/api\/conversations\/[^/]+\/events\/search$/;
const LOOKED = /^GET \/api\/conversations\/[^/]+$/;

type Stage = 'asked' | 'answered';

/** The moments in the life of a delivery at which the host is killed. */
const MOMENTS: readonly (readonly [string, (stage: Stage, call: string, body: string, seen: readonly string[]) => boolean])[] = [
  ['before the message is sent', (stage, call) => stage === 'asked' && POSTED.test(call)],
  ['when the agent server has the message, and nobody was told', (stage, call) => stage === 'answered' && POSTED.test(call)],
  [
    'when it was told, before it has written that down',
    (stage, call, _, seen) => stage === 'asked' && SEARCHED.test(call) && seen.some((each) => POSTED.test(each)),
  ],
  ['while the agent works', (stage, call, _, seen) => stage === 'answered' && LOOKED.test(call) && seen.some((each) => POSTED.test(each))],
  [
    'when the agent is done, before that is written down',
    (stage, call, body) => stage === 'answered' && LOOKED.test(call) && body.includes('"finished"'),
  ],
];

eachDatabase('turns at an agent server', (make) => {
  let test: TestDatabase;
  let agents: AgentServerProcess;
  let server: ServerProcess;

  const start = async () => {
    test = await make();
    agents = await AgentServerProcess.start();
    server = new ServerProcess({
      database: { url: test.url },
      workers: { lease: '2s', heartbeat: '500ms', backoff: { first: '100ms', max: '200ms' } },
      runtimes: { far: { kind: 'agent-server', url: agents.url, agent: { kind: 'echo', delayMs: 150 }, poll: '50ms' } },
      workspaces: { triage: { runtime: 'far' } },
      routes: { comments: { connection: 'gh', workspace: 'triage', whileBusy: 'enqueue' } },
    });
    await server.start();
  };

  afterEach(async () => {
    await server.remove();
    await agents.remove();
    await test.drop();
  });

  const isDone = async (conversation: string, count: number) => {
    const store = await test.open();
    try {
      const rows = await store.transaction((tx) =>
        tx.all<{ outcome: string }>("select outcome from deliveries where conversation = ? and state = 'completed' order by sequence", [
          conversation,
        ]),
      );
      return rows.length === count && rows.every(({ outcome }) => outcome === 'done');
    } finally {
      await store.close();
    }
  };

  it.each(MOMENTS)('AUT-5 AUT-6 REC-1 kill -9 %s: each message is there once, in order, and answered', async (_, isMoment) => {
    await start();
    const first = await comment(server.url, 1, 1);
    const [{ conversation = '' } = {}] = first.body.deliveries;
    await until(() => isDone(conversation, 1));
    let isKilled: Promise<unknown> | null = null;
    const seen: string[] = [];
    agents.watch = async (stage, call, body) => {
      if (isKilled === null && isMoment(stage, call, body, seen)) isKilled = server.end('SIGKILL');
      if (stage === 'answered') seen.push(call);
      if (isKilled !== null) await isKilled;
    };
    await comment(server.url, 1, 2);
    await until(() => isKilled !== null);
    await isKilled;
    agents.watch = () => {};
    await server.start();
    await comment(server.url, 1, 3);
    await until(() => isDone(conversation, 3));
    const said = await agents.said(conversation, 'user');
    expect(said.map((text) => /message \d/.exec(text)?.[0])).toEqual(['message 1', 'message 2', 'message 3']);
    expect((await agents.said(conversation, 'agent')).length).toBeGreaterThanOrEqual(3);
  });

  it('AUT-5 REC-1 goes on in the same conversation when the agent server, or all, was killed and came back', async () => {
    await start();
    const [{ conversation = '' } = {}] = (await comment(server.url, 1, 1)).body.deliveries;
    await until(() => isDone(conversation, 1));
    await agents.kill();
    await comment(server.url, 1, 2);
    await agents.begin();
    await until(() => isDone(conversation, 2));
    await Promise.all([server.end('SIGKILL'), agents.kill()]);
    await agents.begin();
    await server.start();
    await comment(server.url, 1, 3);
    await until(() => isDone(conversation, 3));
    const said = await agents.said(conversation, 'user');
    expect(said.map((text) => /message \d/.exec(text)?.[0])).toEqual(['message 1', 'message 2', 'message 3']);
  });

  it('AUT-5 makes no conversation anew that is gone at its server: its messages wait for a person', async () => {
    await start();
    const [{ conversation = '' } = {}] = (await comment(server.url, 1, 1)).body.deliveries;
    await until(() => isDone(conversation, 1));
    await agents.forget(conversation);
    await comment(server.url, 1, 2);
    const store = await test.open();
    const standing = () =>
      store.transaction((tx) =>
        tx.all<{ parked: string | null; open: number }>('select parked, open from queues where conversation = ?', [conversation]),
      );
    try {
      await until(async () => (await standing())[0]?.parked === 'stalled');
      expect(await standing()).toEqual([{ parked: 'stalled', open: 1 }]);
      await expect(agents.said(conversation, 'user')).rejects.toThrow();
    } finally {
      await store.close();
    }
  });
});
