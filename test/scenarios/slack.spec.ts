import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { expectSound } from '../core/invariants.js';
import { eachDatabase, type TestDatabase } from '../databases.js';
import { answers } from '../fakes/agent/index.js';
import { type SlackMessage, SlackServer } from '../fakes/slack/slack-server.js';
import { type Json, SECRET, slackFixture, slackSignature } from '../plugins/slack/slack.requests.js';
import { ConfiguredServer } from './configured-server.js';
import { ServerProcess, until } from './server-process.js';

const AGENT = fileURLToPath(new URL('./agents/logging.mjs', import.meta.url));
const KEY = Buffer.alloc(32, 6);
const NEWER_SECRET = 'a signing secret that nobody uses yet';

eachDatabase('a thread at Slack', (make) => {
  let slack: SlackServer;
  let test: TestDatabase;

  beforeEach(async () => {
    slack = await SlackServer.start();
    slack.seconds = Math.floor(Date.now() / 1000);
    slack.addChannel('C0001');
  });
  afterEach(async () => {
    await slack.close();
    await test.drop();
  });

  const configOf = (more: object) => ({
    connections: {
      slack: {
        ...{ plugin: 'slack', source: 'private', secrets: [NEWER_SECRET, SECRET], rate: 'off' },
        ...{ appToken: slack.appToken, token: slack.token, apiUrl: `${slack.url}/api/` },
      },
    },
    workspaces: { main: { runtime: 'agent', control: { connection: 'slack', parent: 'C0001' } } },
    routes: { threads: { connection: 'slack', workspace: 'main', coalesce: 1 } },
    ...more,
  });

  const say = (text: string, root?: SlackMessage): SlackMessage =>
    slack.say('C0001', { user: 'U0001', text, ...(root && { thread_ts: root.ts }) });
  /** What Slack tells of a message. */
  const told = ({ reactions: _, blocks: __, ...message }: SlackMessage, type = 'message'): Json => {
    const recorded = slackFixture('message.root');
    const event = { ...message, type, channel: 'C0001', channel_type: 'channel', event_ts: message.ts };
    return { ...recorded, event_id: `Ev.${type}.${message.ts}`, event };
  };
  const post = async (url: string, body: string, contentType: string): Promise<Json> => {
    const seconds = String(Math.floor(Date.now() / 1000));
    const signed = { 'x-slack-request-timestamp': seconds, 'x-slack-signature': slackSignature(seconds, Buffer.from(body)) };
    const answer = await fetch(`${url}/v1/events/default/slack`, {
      method: 'POST',
      headers: { 'content-type': contentType, ...signed },
      body,
    });
    expect(answer.status).toBe(200);
    return (await answer.json()) as Json;
  };
  const shown = (root: SlackMessage) => {
    const { messages = [] } = slack.channels.get('C0001') ?? {};
    return messages.filter(({ thread_ts, bot_id }) => thread_ts === root.ts && bot_id !== undefined);
  };
  const link = ({ ts }: SlackMessage) => `https://acme.slack.com/archives/C0001/p${ts.replace('.', '')}`;
  const command = (text: string, trigger: string): Json => ({
    ...{ command: '/agent', text, user_id: 'U0001', user_name: 'octocat', channel_id: 'C0001', team_id: 'T0001', trigger_id: trigger },
    response_url: `${slack.url}/response/1`,
  });

  it('REC-3 REC-5 ING-7 SLK-1 goes on over HTTP, sockets and a kill between receipt and acknowledgement, each message once', async () => {
    test = await make();
    const server = new ServerProcess(
      configOf({
        database: { url: test.url },
        workers: { concurrency: 2, lease: '3s', heartbeat: '1s' },
        runtimes: { agent: { kind: 'process', command: [process.execPath, AGENT, 'handled.log', '10'], cwd: '.' } },
      }),
    );
    const handled = () => lines(server).map((line) => Number(line.split(' ')[1]));
    try {
      await server.start();
      await until(() => slack.sockets.open === 1);
      const root = say('<@U0BOT> fix it');
      const mention = told(root, 'app_mention');
      expect(await post(server.url, JSON.stringify(mention), 'application/json')).toMatchObject({
        duplicate: false,
        disposition: 'routed',
      });
      // The same over a socket, and its twin, and talk that is none of ours: one message.
      for (const event of [mention, told(root), told(say('lunch?'))]) slack.sockets.event(event);
      await until(() => slack.sockets.answers.length === 3);
      slack.sockets.event(told(say('and the tests', root)));
      await until(() => handled().length === 2);
      expect(await post(server.url, JSON.stringify(mention), 'application/json')).toMatchObject({ duplicate: true });

      slack.sockets.warn();
      slack.sockets.event(told(say('and the docs', root)));
      await until(() => slack.sockets.greeted === 2 && handled().length === 3);

      slack.sockets.isDeaf = true;
      slack.sockets.event(told(say('stored, and never acknowledged', root)));
      // What was running when it died may be run again, so its turn ends first.
      await until(() => shown(root).length === 4);
      await server.end('SIGKILL');
      expect(slack.sockets.unheard).toBe(1);
      say('said to nobody', root);

      slack.sockets.isDeaf = false;
      await server.start();
      await until(() => slack.sockets.unheard === 0 && handled().length >= 5);
      slack.sockets.event(told(say('welcome back', root)));
      await until(() => handled().length >= 6);
      expect([...new Set(lines(server).map((line) => line.split(' ')[0]))]).toHaveLength(1);
      expect(handled()).toEqual([1, 2, 3, 4, 5, 6]);
      await until(() => shown(root).length === 6);
      expect(shown(root).map(({ text }) => text)).toEqual(Array.from({ length: 6 }, () => 'handled 1'));
      slack.sockets.command(command(`status ${link(root)}`, '1'));
      await until(() => slack.whispers.length === 1);
      expect(slack.whispers).toMatchObject([{ text: expect.stringContaining('Open: idle.') }]);
      expect(await server.end('SIGTERM')).toBe(0);
      expect(slack.sockets.open).toBe(0);
    } finally {
      await server.remove();
    }
  }, 120_000);

  it('ING-9 REC-5 SLK-1 the replica that has the socket is killed: the other one has it, and each message is one', async () => {
    test = await make();
    // A SQLite file has one server.
    if (test.name === 'sqlite') return;
    const config = configOf({
      database: { url: test.url },
      workers: { lease: '2s', heartbeat: '500ms' },
      runtimes: { agent: { kind: 'echo' } },
    });
    const servers = [new ServerProcess(config), new ServerProcess(config)];
    const store = await test.open();
    const rows = <Row>(sql: string) => store.transaction((tx) => tx.all<Row>(sql));
    const texts = async () =>
      (await rows<{ parsed: string }>('select r.parsed from deliveries d join receipts r on r.id = d.receipt order by d.sequence')).map(
        ({ parsed }) => (JSON.parse(parsed) as { text: string }).text,
      );
    try {
      for (const server of servers) await server.start();
      await until(() => slack.sockets.open === 1);
      const root = say('<@U0BOT> fix it');
      slack.sockets.event(told(root, 'app_mention'));
      await until(async () => (await texts()).length === 1);
      const [held] = await rows<{ pid: number }>(
        "select r.pid from leases l join replicas r on r.id = l.owner where l.name like 'stream:%'",
      );
      const owner = servers.find(({ pid }) => pid === held?.pid);
      expect(owner).toBeDefined();
      slack.sockets.isDeaf = true;
      slack.sockets.event(told(say('stored, and never acknowledged', root)));
      await until(async () => (await texts()).length === 2);
      await owner?.end('SIGKILL');
      say('said to nobody', root);
      slack.sockets.isDeaf = false;
      await until(() => slack.sockets.greeted === 2 && slack.sockets.unheard === 0);
      // What comes meanwhile does not wait for the history.
      await until(async () => (await texts()).length === 3);
      slack.sockets.event(told(say('welcome back', root)));
      await until(async () => (await texts()).length >= 4);
      expect((await texts()).map((text) => text.replace(/^<@U0BOT> /, ''))).toEqual([
        ...['fix it', 'stored, and never acknowledged', 'said to nobody', 'welcome back'],
      ]);
      await until(async () => (await rows("select 1 from deliveries where state <> 'completed'")).length === 0);
      expect(slack.sockets.open).toBe(1);
    } finally {
      await store.close();
      for (const server of servers) await server.remove();
    }
  }, 60_000);

  it('CTL-4 SLK-2 SIG-4 approvals are decided by buttons, over a socket and over HTTP', async () => {
    test = await make.migrated();
    const config = configOf({
      plugins: ['slack', fileURLToPath(new URL('../fakes/agent/index.ts', import.meta.url))],
      runtimes: { agent: { kind: 'asking' } },
      workers: { grace: '100ms', backoff: { first: '0ms' } },
    });
    const server = await ConfiguredServer.start(test, config, KEY);
    await until(() => slack.sockets.open === 1);
    const begun = answers.length;
    const askedFor = async (what: string) => {
      const root = say(`<@U0BOT> ask: ${what}`);
      slack.sockets.event(told(root, 'app_mention'));
      await until(() => shown(root).some(({ blocks }) => blocks.length > 0));
      return root;
    };
    /** A press on a button of the thread, as Slack tells of it. */
    const press = (root: SlackMessage, style: 'primary' | 'danger', actionTs: string): Json => {
      const [message] = shown(root).filter(({ blocks }) => blocks.some(({ type }) => type === 'actions'));
      const elements = (message?.blocks.find(({ type }) => type === 'actions')?.elements ?? []) as readonly Json[];
      const at = { channel_id: 'C0001', message_ts: message?.ts, thread_ts: root.ts };
      return {
        ...{ type: 'block_actions', user: { id: 'U0001', name: 'octocat', team_id: 'T0001' }, team: { id: 'T0001' } },
        ...{ api_app_id: 'A0001', container: { type: 'message', ...at }, channel: { id: 'C0001' }, message: { ts: at.message_ts, ...at } },
        ...{ response_url: `${slack.url}/response/1`, trigger_id: actionTs },
        actions: [{ ...elements.find((element) => element.style === style), action_ts: actionTs }],
      };
    };
    const posted = (payload: Json) => {
      const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
      return post(server.url, body, 'application/x-www-form-urlencoded');
    };

    const first = await askedFor('deploy');
    const approve = press(first, 'primary', '1.1');
    slack.sockets.interaction(approve);
    await until(() => answers.length === begun + 1);
    // The same press once more is a duplicate, and another one comes too late.
    expect(await posted(approve)).toMatchObject({ duplicate: true });
    await posted({ ...approve, actions: [{ ...(approve.actions as Json[])[0], action_ts: '1.2' }] });
    await until(() => slack.whispers.some(({ text }) => /already decided by/i.test(String(text))));

    const second = await askedFor('erase');
    const deny = press(second, 'danger', '2.1');
    await posted(deny);
    await until(() => answers.length === begun + 2);
    expect(answers.slice(begun)).toEqual(['deploy approved', 'erase denied']);
    slack.sockets.command(command(`pause ${link(second)}`, '3'));
    await until(() => slack.whispers.some(({ text }) => /^Paused/.test(String(text))));
    expect(await server.rows('select distinct secret_index from receipts order by secret_index')).toEqual(
      expect.arrayContaining([{ secret_index: 1 }]),
    );
    await expectSound(server.database);
    await server.close();
  }, 60_000);
});

function lines(server: ServerProcess): string[] {
  try {
    return server.read('handled.log').trim().split('\n');
  } catch {
    return [];
  }
}
