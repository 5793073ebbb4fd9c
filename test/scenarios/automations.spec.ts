import { afterEach, expect, it } from '@jest/globals';
import { eachDatabase, type TestDatabase } from '../databases.js';
import { ConfiguredServer } from './configured-server.js';
import { comment, ServerProcess, until } from './server-process.js';

const SUBJECTS = 10;
const EACH = 50;
const AUTOMATIONS = 2;

interface Run {
  readonly automation: string;
  readonly subject: string;
  readonly conversation: string;
  readonly state: string;
  readonly created_at: number;
  readonly ended_at: number;
}

interface Turn {
  readonly conversation: string;
  readonly from_sequence: number;
  readonly to_sequence: number;
}

eachDatabase('automations under a burst', (make) => {
  let test: TestDatabase;
  const servers: ServerProcess[] = [];

  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.remove()));
    await test.drop();
  });

  const start = async () => {
    const triggers = [{ source: 'gh', on: ['issue_comment.created'] }];
    const server = new ServerProcess({
      database: { url: test.url },
      runtimes: { agent: { kind: 'echo' } },
      automations: {
        answer: { triggers, prompt: 'Answer it.', runtime: 'agent' },
        follow: { triggers: [{ ...triggers[0], destination: 'continue_conversation' }], prompt: 'Follow it.', runtime: 'agent' },
      },
    });
    servers.push(server);
    await server.start();
    return server;
  };

  it('AUT-5 two automations, 50 concurrent events of each of 10 subjects: one live run a subject at any moment, each event in one turn, in order', async () => {
    test = await make();
    const first = await start();
    // A SQLite file has one server.
    const all = test.name === 'sqlite' ? [first] : [first, await start()];
    const numbers = Array.from({ length: SUBJECTS * EACH }, (_, i) => i);
    const answers = await Promise.all(
      numbers.map((i) => comment(all[i % all.length]?.url ?? '', 1 + (i % SUBJECTS), Math.floor(i / SUBJECTS))),
    );
    expect(answers.filter(({ status, body }) => status !== 200 || body.deliveries.length !== AUTOMATIONS)).toEqual([]);
    const store = await test.open();
    const rows = <Row>(sql: string) => store.transaction((tx) => tx.all<Row>(sql)).catch((): Row[] | null => null);
    try {
      await until(async () => (await rows("select 1 from runs where state in ('queued', 'starting', 'running') limit 1"))?.length === 0);
      await until(async () => (await rows('select 1 from queues where open > 0 limit 1'))?.length === 0);
      const runs = await store.transaction((tx) => tx.all<Run>('select * from runs order by automation, subject, created_at, id'));
      expect(new Set(runs.map(({ state }) => state))).toEqual(new Set(['completed']));
      const ofSubjects = [...Map.groupBy(runs, ({ automation, subject }) => `${automation} ${subject}`).values()];
      expect(ofSubjects).toHaveLength(AUTOMATIONS * SUBJECTS);
      for (const own of ofSubjects) {
        expect(new Set(own.map(({ conversation }) => conversation)).size).toBe(1);
        expect(own.every((run, i) => i === 0 || run.created_at >= (own[i - 1]?.ended_at ?? 0))).toBe(true);
      }
      const turns = await store.transaction((tx) =>
        tx.all<Turn>("select conversation, from_sequence, to_sequence from turns where state = 'done' order by conversation, token"),
      );
      const byConversation = [...Map.groupBy(turns, ({ conversation }) => conversation).values()];
      expect(byConversation).toHaveLength(AUTOMATIONS * SUBJECTS);
      for (const own of byConversation)
        expect(own.flatMap(({ from_sequence: from, to_sequence: to }) => range(from, to))).toEqual(range(1, EACH));
    } finally {
      await store.close();
    }
  }, 120_000);

  it('AUT-1 AUT-4 one is started by hand: a conversation of its own, the prompt, and what it was given', async () => {
    test = await make();
    const server = await ConfiguredServer.start(test, {
      runtimes: { agent: { kind: 'echo' } },
      automations: { report: { triggers: [], prompt: 'Write the report.', runtime: 'agent', enabled: false } },
    });
    try {
      const { body: list } = await server.ask<{ items: { id: string }[] }>('GET', '/v1/automations');
      const path = `/v1/automations/${list.items[0]?.id}/dispatch`;
      const { status, body } = await server.ask<{ id: string; conversation_id: string }>('POST', path, { inputs: { week: 49 } });
      expect(status).toBe(201);
      await until(async () => (await server.rows("select 1 from runs where state = 'completed'")).length === 1);
      expect(await server.rows('select id, conversation, cause from runs')).toEqual([
        { id: body.id, conversation: body.conversation_id, cause: 'api' },
      ]);
      const [turn] = await server.rows<{ result: string }>('select result from turns');
      expect(turn?.result).toMatch(
        /Write the report\.\n\nenvironment has started this by hand, with:\n\n```json\n\{\n {2}"week": 49\n\}\n```/,
      );
    } finally {
      await server.close();
    }
  });
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
