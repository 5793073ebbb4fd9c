import { afterEach, expect, it } from '@jest/globals';
import { SlackBackfill } from '../../../plugins/slack/slack.backfill.js';
import type { SlackConnection } from '../../../plugins/slack/slack.options.js';
import { SlackStream } from '../../../plugins/slack/slack.stream.js';
import { readContents } from '../../../src/core/deliveries/deliveries.js';
import { route } from '../../core/builders.js';
import { type Core, eachCore } from '../../core/core.js';
import type { Call } from '../../fakes/fault-server.js';
import { isMethod, refusal, type SlackMessage, SlackServer } from '../../fakes/slack/slack-server.js';
import { SourceBench } from '../../ingress/sources/bench.js';
import { until } from '../../worker/harness.js';
import { connection, type Json, slackFixture, subjects } from './slack.requests.js';

const STREAM = 'stream:default/slack';

eachCore('the history of Slack', (open) => {
  const ending: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const end of ending.splice(0).reverse()) await end();
  });

  const begin = async () => {
    const [slack, core] = [await SlackServer.start(), open(route({ source: 'slack' }))];
    ending.push(() => slack.close());
    const [{ now } = { now: 0 }] = await core.rows<{ now: number }>(`select ${core.database.dialect.now} as now`);
    slack.seconds = Math.floor(now / 1000);
    slack.addChannel('C0001');
    return { slack, core };
  };

  const replica = async (core: Core, slack: SlackServer, options: SlackConnection = {}) => {
    const of = connection({ appToken: slack.appToken, token: slack.token, apiUrl: `${slack.url}/api/`, ...options });
    const about = { connection: of, provider: 'slack', subjects };
    const made = new SourceBench(core, [
      { ...about, kind: 'stream', name: STREAM, transport: new SlackStream(), hasHistory: true },
      { ...about, kind: 'backfill', name: 'backfill:default/slack', backfill: new SlackBackfill(), stream: STREAM },
    ]);
    await made.supervisor.noteGaps();
    made.supervisor.start();
    ending.push(() => made.supervisor.stop());
    return made;
  };

  const stateOf = async (made: SourceBench, kind: string) => (await made.states()).find(({ name }) => name.startsWith(kind));
  const stands = (made: SourceBench) => until(async () => (await stateOf(made, 'stream'))?.state === 'connected');
  const gaps = (core: Core) => core.rows<{ progress: string | null; failure: string | null }>('select progress, failure from gaps');
  /** The texts that agents are given, thread by thread. */
  const texts = async (core: Core) => {
    const rows = await core.rows<{ key: string; parsed: string }>(
      `select c.key, r.parsed from deliveries d join receipts r on r.id = d.receipt
         join conversations c on c.id = d.conversation order by c.key, d.sequence`,
    );
    return rows.map(({ key, parsed }) => [key.split('/').at(-1), (JSON.parse(parsed) as { text: string }).text]);
  };

  /** Says it, and tells of it as Slack does while somebody listens. */
  const live = (slack: SlackServer, type: string, words: Partial<SlackMessage>): SlackMessage => {
    const said = slack.say('C0001', { user: 'U0001', ...words });
    const { reactions: _, blocks: __, ...event } = said;
    const recorded = slackFixture('message.root');
    slack.sockets.event({ ...recorded, event_id: `Ev${said.ts}`, event: { ...event, type, channel: 'C0001', event_ts: said.ts } as Json });
    return said;
  };

  it('REC-5 nothing that was said meanwhile is missed, and nothing is doubled', async () => {
    const { slack, core } = await begin();
    const made = await replica(core, slack);
    await stands(made);
    const root = live(slack, 'app_mention', { text: '<@U0BOT> fix it' });
    const known = live(slack, 'message', { text: 'soon please', thread_ts: root.ts });
    await until(async () => (await made.delivered()).length === 2);
    await made.supervisor.stop();

    slack.addChannel('D0001', { is_im: true });
    const reply = slack.say('C0001', { user: 'U0001', text: 'and the tests', thread_ts: root.ts });
    slack.say('C0001', { bot_id: 'B0001', text: 'working on it', thread_ts: root.ts });
    slack.say('C0001', { user: 'U0002', text: 'lunch?' });
    const second = slack.say('C0001', { user: 'U0002', text: 'hey <@U0BOT|agent> look' });
    const direct = slack.say('D0001', { user: 'U0001', text: 'psst' });
    for (let i = 0; i < 230; i += 1) slack.say('C0001', { user: 'U0002', text: `more ${i}`, thread_ts: second.ts });

    const again = await replica(core, slack);
    await until(async () => (await again.delivered()).length === 235 && (await gaps(core)).length === 0);
    const said = await texts(core);
    expect(said.filter(([thread]) => thread === root.ts)).toEqual([
      [root.ts, '<@U0BOT> fix it'],
      [root.ts, 'soon please'],
      [root.ts, 'and the tests'],
    ]);
    expect(said.filter(([thread]) => thread === second.ts).map(([, text]) => text)).toEqual([
      second.text,
      ...Array.from({ length: 230 }, (_, i) => `more ${i}`),
    ]);
    expect(said.filter(([thread]) => thread === direct.ts)).toEqual([[direct.ts, 'psst']]);
    const keys = await core.rows('select event_key from receipts where delivery_id like ? order by event_key', `%/${second.ts}`);
    expect(keys).toEqual([{ event_key: 'app_mention' }, { event_key: 'message' }]);
    // What came live as well is known by its message; the rest was not asked to be stored at all.
    const receipts = await again.received();
    expect(receipts.map(({ delivery_id: id }) => id).filter((id) => id.includes(known.ts))).toHaveLength(2);
    expect(receipts.some(({ delivery_id: id }) => id.includes(reply.ts))).toBe(true);
  });

  it('ACC-8 REC-5 an edit that was missed changes the message that still waits', async () => {
    const { slack, core } = await begin();
    const made = await replica(core, slack);
    await stands(made);
    const root = live(slack, 'app_mention', { text: '<@U0BOT> delete it' });
    await until(async () => (await made.delivered()).length === 1);
    await made.supervisor.stop();
    await core.database.transaction((tx) => tx.run('update receipts set received_at = received_at + 120000'));
    slack.seconds += 120;
    Object.assign(root, { text: '<@U0BOT> keep it', edited: { ts: `${slack.seconds}.000000` } });
    const again = await replica(core, slack);
    await until(async () => (await gaps(core)).length === 0 && (await again.received()).length === 2);
    const claim = await core.claimOne();
    const contents = await core.database.transaction((tx) => readContents(tx, [claim]));
    expect(contents.map(({ text }) => text)).toEqual(['<@U0BOT> keep it']);
  });

  it('REC-5 goes on where it was left, also on another replica, and waits as long as Slack says', async () => {
    const { slack, core } = await begin();
    const made = await replica(core, slack);
    await stands(made);
    live(slack, 'app_mention', { text: '<@U0BOT> one' });
    await until(async () => (await made.delivered()).length === 1);
    await made.supervisor.stop();
    for (const channel of ['C0002', 'C0003']) slack.addChannel(channel);
    for (const channel of ['C0001', 'C0002', 'C0003']) slack.say(channel, { user: 'U0001', text: `<@U0BOT> in ${channel}` });
    const asksFor = (channel: string) => (call: Call) =>
      isMethod(call, 'conversations.history') && new URLSearchParams(call.body).get('channel') === channel;
    slack.once(asksFor('C0001'), { status: 429, body: null, headers: { 'retry-after': '1' } });
    const manner = slack.manner;
    slack.manner = (call) => (asksFor('C0003')(call) ? refusal('fatal_error') : manner(call));

    const second = await replica(core, slack);
    await until(async () => (await gaps(core)).some(({ failure }) => failure !== null));
    expect(Object.keys(JSON.parse((await gaps(core))[0]?.progress ?? '{}') as object)).toEqual(['C0001', 'C0002']);
    await second.supervisor.stop();
    slack.manner = () => 'ok';
    const before = slack.callsOf('conversations.history').length;
    const third = await replica(core, slack);
    await until(async () => (await gaps(core)).length === 0);
    const asked = slack.callsOf('conversations.history').slice(before);
    expect(asked.map(({ body }) => new URLSearchParams(body).get('channel'))).toEqual(['C0003', 'C0001', 'C0002']);
    expect(await third.delivered()).toHaveLength(4);
  });

  it('SLK-1 asks in every workspace of an organisation that the app is installed for, and keeps its tenant', async () => {
    const { slack, core } = await begin();
    slack.teams = ['T0001', 'T0002'];
    const made = await replica(core, slack);
    await stands(made);
    const recorded = slackFixture('message.enterprise-grid');
    slack.sockets.event({ ...recorded, event: { ...recorded.event, type: 'app_mention' } });
    await until(async () => (await made.delivered()).length === 1);
    await made.supervisor.stop();
    slack.addChannel('C0002');
    slack.say('C0002', { user: 'U0001', text: '<@U0BOT> hello' });
    slack.once((call) => isMethod(call, 'conversations.history'), refusal('not_in_channel'));
    const again = await replica(core, slack);
    await until(async () => (await gaps(core)).length === 0 && (await again.delivered()).length === 2);
    expect(slack.callsOf('users.conversations').map(({ body }) => new URLSearchParams(body).get('team_id'))).toEqual(slack.teams);
    const rows = await core.rows<{ namespace: string }>('select distinct namespace from subjects');
    expect(rows).toEqual([{ namespace: 'slack:E0001' }]);
  });

  it('ING-6 scopes that are missing for it are named, and stop the asking alone', async () => {
    const { slack, core } = await begin();
    const made = await replica(core, slack, {});
    await stands(made);
    live(slack, 'app_mention', { text: '<@U0BOT> one' });
    await until(async () => (await made.delivered()).length === 1);
    await made.supervisor.stop();
    slack.scopes = 'chat:write,channels:history';
    const again = await replica(core, slack);
    await until(async () => (await stateOf(again, 'backfill'))?.state === 'misconfigured');
    expect((await stateOf(again, 'backfill'))?.detail).toMatch(/channels:read and channels:history/);
    expect((await stateOf(again, 'stream'))?.state).toBe('connected');
  });

  it('REC-5 asks only where there is a token to ask with', () => {
    const backfill = new SlackBackfill();
    expect([{}, { token: 'xoxb-1-a' }].map((options) => backfill.usedBy(connection(options)))).toEqual([false, true]);
  });
});
