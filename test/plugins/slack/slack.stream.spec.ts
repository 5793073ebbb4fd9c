import { afterEach, expect, it } from '@jest/globals';
import type { SlackConnection } from '../../../plugins/slack/slack.options.js';
import { SlackStream, type SocketTimes } from '../../../plugins/slack/slack.stream.js';
import { StoreUnavailable } from '../../../src/core/admission/store-unavailable.js';
import { route } from '../../core/builders.js';
import { type Core, clearLedger, eachCore } from '../../core/core.js';
import type { Call } from '../../fakes/fault-server.js';
import { isMethod, refusal, SlackServer } from '../../fakes/slack/slack-server.js';
import { SourceBench } from '../../ingress/sources/bench.js';
import { until } from '../../worker/harness.js';
import { fixtureText } from '../golden.js';
import { connection, formRequest, type Json, jsonRequest, parseRequest, slackFixture, subjects, webhook } from './slack.requests.js';

const isOpening = (call: Call) => isMethod(call, 'apps.connections.open');

/** The recorded mention, as another event about another message. */
function mention(number: number, text = `message ${number}`): Json {
  const recorded = slackFixture('app_mention.root');
  return { ...recorded, event_id: `Ev9${number}`, event: { ...recorded.event, ts: `17672258${number}.000300`, text } };
}

/** What a person has to change. */
const WRONG: [string, ReplicaOptions, RegExp][] = [
  ['a token that Slack does not know', { options: { appToken: 'xapp-wrong' } }, /invalid_auth.*App-Level Token/],
  ['the token of another app', { options: { appId: 'A0002' } }, /belongs to the app A0001/],
  ['Socket Mode that is switched off', {}, /link_disabled.*Socket Mode/],
];

eachCore('the sockets of Slack', (open) => {
  const ending: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const end of ending.splice(0).reverse()) await end();
  });

  const begin = async () => {
    const slack = await SlackServer.start();
    ending.push(() => slack.close());
    return { slack, core: open(route({ source: 'slack' })) };
  };

  /** A replica that keeps up the socket. */
  const replica = (core: Core, slack: SlackServer, { times = {}, options = {}, change = {} }: ReplicaOptions = {}) => {
    const made = new SourceBench(
      core,
      [
        {
          kind: 'stream',
          ...{ name: 'stream:default/slack', provider: 'slack', subjects, hasHistory: true },
          connection: connection({ appToken: slack.appToken, apiUrl: `${slack.url}/api/`, ...options }),
          transport: new SlackStream({ pongMs: 5_000, helloMs: 30_000, retryMs: 20, ...times }),
        },
      ],
      change,
    );
    made.supervisor.start();
    ending.push(() => made.supervisor.stop());
    return made;
  };

  const stateOf = async (made: SourceBench) => (await made.states())[0];
  const stands = (made: SourceBench) => until(async () => (await made.state()) === 'connected');
  const delivered = (made: SourceBench, ...ids: string[]) =>
    until(async () => {
      const present = new Set(await made.delivered());
      return ids.every((id) => present.has(id));
    });
  /** As an HTTP request of the same event would be admitted. */
  const post = (core: Core, request: ReturnType<typeof jsonRequest>) =>
    core.admit({
      ...{ org: 'default', source: 'slack', provider: 'slack', body: request.body, secretIndex: 0, payload: webhook.event(request) },
      ...{ deliveryId: String(webhook.deliveryId(request)), eventKey: webhook.eventKey(request) },
      ...{ uniqueContent: webhook.uniqueContent(request), parsed: parseRequest(request) },
    });

  it('SLK-1 ING-7 brings events, and acknowledges each when it is stored; at the end no socket is left', async () => {
    const { slack, core } = await begin();
    const made = replica(core, slack);
    await stands(made);
    for (const number of [1, 2, 3]) slack.sockets.event(mention(number));
    await delivered(made, 'Ev91', 'Ev92', 'Ev93');
    await until(() => slack.sockets.answers.length === 3);
    expect(slack.sockets.answers).toEqual([{}, {}, {}]);
    await made.supervisor.stop();
    await until(() => slack.sockets.closes.length === 1);
    const { open: left, greeted, unheard, closes } = slack.sockets;
    expect({ left, greeted, unheard, closes }).toEqual({ left: 0, greeted: 1, unheard: 0, closes: [1000] });
  });

  it('SLK-1 an event is one by both ways that it comes: events, presses and commands', async () => {
    const { slack, core } = await begin();
    const made = replica(core, slack);
    await stands(made);
    slack.sockets.event(mention(1));
    const pressed = formRequest(fixtureText('slack/constructed/block_actions.approve.form-urlencoded.txt'));
    slack.sockets.interaction(webhook.event(pressed) as Json);
    const given = formRequest(fixtureText('slack/constructed/slash_command.form-urlencoded.txt'));
    slack.sockets.command(given.payload as Json);
    await until(() => slack.sockets.answers.length === 3);
    const before = await core.rows('select event_key, delivery_id, content_hash, parsed from receipts order by delivery_id');
    // As PHP writes JSON: the same content in other bytes.
    const event = { ...jsonRequest(mention(1)), body: Buffer.from(JSON.stringify(mention(1), null, 1).replaceAll('/', '\\/')) };
    for (const request of [event, pressed, given]) expect(await post(core, request)).toMatchObject({ duplicate: true });
    expect(await core.rows('select receipt from receipt_conflicts')).toEqual([]);
    await clearLedger(core.database);
    for (const request of [event, pressed, given]) expect(await post(core, request)).toMatchObject({ duplicate: false });
    expect(await core.rows('select event_key, delivery_id, content_hash, parsed from receipts order by delivery_id')).toEqual(before);
  });

  it('SLK-1 a command that nobody understands is answered with what to write, and others with nothing', async () => {
    const { slack, core } = await begin();
    const made = replica(core, slack);
    await stands(made);
    const command = { command: '/agent', user_id: 'U0001', channel_id: 'C0001', team_id: 'T0001' };
    slack.sockets.command({ ...command, text: 'dance', trigger_id: '1' });
    slack.sockets.command({ ...command, text: 'stop https://acme.slack.com/archives/C0001/p1767225600000100', trigger_id: '2' });
    await until(() => slack.sockets.answers.length === 2);
    expect(slack.sockets.answers).toContainEqual({ response_type: 'ephemeral', text: expect.stringContaining('Copy link') });
    expect(slack.sockets.answers).toContainEqual({});
    expect(await made.received()).toHaveLength(2);
  });

  it('ING-7 B7 acknowledges nothing that is not stored: it is told again, and taken once, whatever attempt it is', async () => {
    const { slack, core } = await begin();
    let isDown = false;
    const admission = Object.create(core.admissions) as Core['admissions'];
    admission.admitTogether = (events, bracket) =>
      isDown ? Promise.reject(new StoreUnavailable()) : core.admissions.admitTogether(events, bracket);
    const made = replica(core, slack, { change: { admission } });
    await stands(made);
    isDown = true;
    slack.sockets.event(mention(1));
    await until(() => slack.sockets.closes.length > 0);
    expect(slack.sockets.answers).toEqual([]);
    isDown = false;
    await delivered(made, 'Ev91');
    slack.sockets.isDeaf = true;
    slack.sockets.event(mention(2));
    await delivered(made, 'Ev92');
    slack.sockets.hangUp();
    slack.sockets.isDeaf = false;
    await until(() => slack.sockets.unheard === 0);
    for (const attempt of [0, 1, 0, 1]) {
      slack.sockets.say(
        JSON.stringify({ envelope_id: `same-${attempt}`, type: 'events_api', payload: mention(2), retry_attempt: attempt }),
      );
    }
    slack.sockets.event(mention(3));
    await delivered(made, 'Ev93');
    expect((await made.delivered()).toSorted()).toEqual(['Ev91', 'Ev92', 'Ev93']);
  });

  it('ING-6 another socket stands before one that is about to end is let go: nothing is missed and nothing interrupted', async () => {
    const { slack, core } = await begin();
    const made = replica(core, slack);
    await stands(made);
    slack.once(isOpening, { status: 500, body: 'oh' });
    for (const [index, reason] of ['warning', 'refresh_requested'].entries()) {
      slack.sockets.warn(reason);
      slack.sockets.event(mention(index * 2 + 1));
      await until(() => slack.sockets.greeted === index + 2);
      slack.sockets.event(mention(index * 2 + 2));
      await until(() => slack.sockets.closes.length === index + 1);
    }
    await delivered(made, 'Ev91', 'Ev92', 'Ev93', 'Ev94');
    await until(() => slack.sockets.unheard === 0);
    expect(await stateOf(made)).toMatchObject({ state: 'connected', detail: null });
    expect(slack.sockets).toMatchObject({ told: 4, closes: [1000, 1000] });
    expect(await core.rows('select since from gaps')).toEqual([]);
  });

  it('ING-6 REC-5 a socket that ends is made anew, and the gap is noted', async () => {
    const { slack, core } = await begin();
    const made = replica(core, slack);
    await stands(made);
    slack.sockets.event(mention(1));
    await delivered(made, 'Ev91');
    slack.sockets.hangUp();
    await until(() => slack.sockets.greeted === 2);
    slack.sockets.event(mention(2));
    await delivered(made, 'Ev91', 'Ev92');
    expect(await core.rows('select source from gaps')).toEqual([{ source: 'slack' }]);
  });

  it('ING-6 B70 a line that died without a word is found by its pings, and made anew', async () => {
    const { slack, core } = await begin();
    const made = replica(core, slack, { times: { pongMs: 300 } });
    await stands(made);
    slack.sockets.event(mention(1));
    await delivered(made, 'Ev91');
    slack.sockets.freeze();
    await until(() => slack.sockets.greeted === 2);
    slack.sockets.event(mention(2));
    await delivered(made, 'Ev92');
    await stands(made);
  });

  it('ING-9 REC-5 another replica takes over, with a socket of its own', async () => {
    const { slack, core } = await begin();
    const first = replica(core, slack);
    await stands(first);
    slack.sockets.event(mention(1));
    await delivered(first, 'Ev91');
    slack.sockets.isDeaf = true;
    slack.sockets.event(mention(2));
    await delivered(first, 'Ev92');
    await first.supervisor.stop();
    expect(slack.sockets.open).toBe(0);
    slack.sockets.isDeaf = false;
    const second = replica(core, slack);
    await until(() => slack.sockets.unheard === 0 && slack.sockets.greeted === 2);
    slack.sockets.event(mention(3));
    await delivered(second, 'Ev93');
    expect(slack.sockets.greeted).toBe(2);
    expect((await second.delivered()).toSorted()).toEqual(['Ev91', 'Ev92', 'Ev93']);
  });

  it('ING-6 B71 as many sockets as Slack allows is waited for, and nothing is thrown', async () => {
    const { slack, core } = await begin();
    slack.sockets.most = 0;
    const made = replica(core, slack);
    await until(async () => (await made.state()) === 'retrying');
    expect((await stateOf(made))?.detail).toMatch(/as many sockets of this app as it allows/);
    await until(() => slack.sockets.open === 0);
    expect(slack.callsOf('apps.connections.open')).toHaveLength(1);
  });

  it.each(WRONG)('ING-6 %s stops this source, and says what to do', async (_, change, words) => {
    const { slack, core } = await begin();
    slack.sockets.isEnabled = 'options' in change;
    const made = replica(core, slack, change);
    await until(async () => (await made.state()) === 'misconfigured');
    expect((await stateOf(made))?.detail).toMatch(words);
    expect((await stateOf(made))?.detail).not.toContain('xapp');
    await until(() => slack.sockets.open === 0);
  });

  it('ING-6 waits as long as Slack asks, goes on after it broke, and gives up a socket that nobody greets', async () => {
    const { slack, core } = await begin();
    slack.sockets.isMute = true;
    slack.once(isOpening, refusal('internal_error'));
    const made = replica(core, slack, { times: { helloMs: 200 } });
    await until(() => slack.callsOf('apps.connections.open').length === 2);
    await until(async () => /did not greet/.test((await stateOf(made))?.detail ?? ''));
    slack.sockets.isMute = false;
    await stands(made);
    slack.once(isOpening, { status: 429, body: null, headers: { 'retry-after': '60' } });
    slack.sockets.hangUp();
    await until(async () => /takes no further/.test((await stateOf(made))?.detail ?? ''));
  });

  it('ING-4 what it cannot read does not stop it: frames that are no JSON, an event without an id', async () => {
    const { slack, core } = await begin();
    const made = replica(core, slack);
    await stands(made);
    for (const frame of ['{', '7', '{"type":"events_api","envelope_id":"e"}', '{"type":"brand_new","payload":{}}'])
      slack.sockets.say(frame);
    const { event_id: _, ...nameless } = mention(1);
    slack.sockets.event(nameless);
    slack.sockets.event(mention(2));
    await delivered(made, 'Ev92');
    await until(() => slack.sockets.answers.length === 2);
    expect(await made.state()).toBe('connected');
    expect(slack.sockets.greeted).toBe(1);
  });
});

interface ReplicaOptions {
  readonly times?: Partial<SocketTimes>;
  readonly options?: SlackConnection;
  readonly change?: ConstructorParameters<typeof SourceBench>[2];
}
