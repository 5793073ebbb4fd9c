import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type EventSink, InvalidInput, type ProviderEvent } from 'throughline/plugin';
import { GithubBackfill, GithubWatch } from '../../../plugins/github/github.backfill.js';
import { GithubServer, refusal } from '../../fakes/github/github-server.js';
import { connected, fails } from './github.writing.js';

const HOUR = 3_600_000;
const NOWHERE = 'http://127.0.0.1:9/v1/events/default/github';
const signal = new AbortController().signal;

let github: GithubServer;
let backfill: GithubBackfill;
let events: ProviderEvent[];
const sink: EventSink = {
  accept: async (event) => {
    events.push(event);
    return { duplicate: false, receipt: '1', disposition: 'routed' };
  },
};

beforeEach(async () => {
  github = await GithubServer.start();
  github.addIssue(12);
  github.hook.url = NOWHERE;
  backfill = new GithubBackfill();
  events = [];
});
afterEach(() => github.close());

const app = (more = {}) => connected(github, { app: { ...github.app, ...more } });
const miss = (body: string, guid?: string) => github.hook.deliver('issue_comment', commented(body), guid);
const commented = (body: string) => github.event(12, 'created', { comment: github.say(12, body) });
const ask = (by = app(), mark = Date.now() - HOUR, to = sink) => backfill.since(by, new Date(mark), to, signal);
/** As if it had been answered so, so long ago. */
const change = (index: number, more: { status_code?: number; delivered_at?: string; url?: string }) =>
  Object.assign(github.hook.attempts[index] ?? {}, more);
const bodyOf = ({ payload }: ProviderEvent) => (payload as { comment: { body: string } }).comment.body;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

describe('what was missed at GitHub', () => {
  it('REC-5 is fetched oldest first, once each, under its own id and with what it brought', async () => {
    const first = await miss('Größe 🎉');
    await miss('answered');
    change(1, { status_code: 200 });
    const second = await miss('second');
    await miss('again', second.guid);
    const third = await miss('third');
    await miss('third, sent again by hand', third.guid);
    change(5, { status_code: 200 });
    const at = ago(1000);
    for (const index of [0, 1, 2, 3]) change(index, { delivered_at: at });
    await ask();
    expect(events.map(({ deliveryId }) => deliveryId)).toEqual([first.guid, second.guid]);
    const [event] = events;
    expect(event).toMatchObject({ eventKey: 'issue_comment.created', payload: { comment: { body: 'Größe 🎉' } }, isCopy: true });
    expect(event?.uniqueContent).toEqual(Buffer.from(JSON.stringify(event?.payload)));
  });

  it('REC-5 is looked for on every page, back to the last event that is stored', async () => {
    for (let number = 0; number < 230; number++) {
      await miss(`${number}`);
      change(number, { status_code: 200 });
    }
    change(0, { status_code: 502 });
    change(1, { status_code: 502, delivered_at: ago(2 * HOUR) });
    change(229, { status_code: 401 });
    await ask();
    expect(events.map(bodyOf)).toEqual(['0', '229']);
    expect(github.calls.filter(({ path }) => path.includes('cursor=')).length).toBe(2);
  });

  it('REC-5 is also what was answered by a store that is not here any more', async () => {
    await miss('while the lost one was there');
    change(0, { status_code: 200, delivered_at: ago(HOUR) });
    await miss('by this server');
    change(1, { status_code: 200 });
    await ask(app(), Date.now() - 2 * HOUR);
    expect(events).toHaveLength(1);
  });

  it('REC-5 is that of the webhook which the connection names, read by its token or its App', async () => {
    await miss('x');
    await ask(connected(github, { token: github.token, hook: { id: 7, owner: 'acme/api' } }));
    await ask(connected(github, { app: github.app, hook: { id: 8, owner: 'acme' } }));
    expect(events).toHaveLength(2);
    const paths = github.calls.map(({ path }) => path.split('?')[0]).filter((path) => path?.endsWith('/deliveries'));
    expect(paths).toEqual(['/repos/acme/api/hooks/7/deliveries', '/orgs/acme/hooks/8/deliveries']);
  });

  it('REC-5 is that of the App only where it was sent to this connection', async () => {
    await miss('x');
    change(0, { url: 'https://elsewhere.example/hooks' });
    await ask();
    expect(events).toEqual([]);
    await ask(app({ webhook: true }));
    expect(events).toHaveLength(1);
    const uses = [{}, { token: 't' }, { app: github.app }, { app: { ...github.app, webhook: false } }, { hook: { id: 7, owner: 'acme' } }];
    expect(uses.map((options) => backfill.usedBy(connected(github, options)))).toEqual([false, false, true, false, false]);
  });

  it('REC-5 is nothing for an App without a webhook, and a state where it cannot be told', async () => {
    const list = ({ path }: { path: string }) => path.includes('/deliveries');
    github.once(list, refusal(404, 'Not Found'));
    await ask();
    github.once(list, refusal(404, 'Not Found'));
    const hook = connected(github, { token: github.token, hook: { id: 7, owner: 'acme/api' } });
    expect(await fails(ask(hook))).toMatchObject({ kind: 'permanent' });
    github.once(list, refusal(403, 'rate limit exceeded', { 'retry-after': '30' }));
    expect(await fails(ask())).toMatchObject({ kind: 'transient', retryAfterMs: 30_000 });
    github.once(list, 'break');
    expect(await fails(ask(app()))).toMatchObject({ kind: 'transient' });
  });

  it('REC-5 goes on behind what cannot be taken and what GitHub has forgotten, and ends where the store is away', async () => {
    for (const body of ['forgotten', 'malformed', 'good', 'after']) await miss(body);
    const answers = [new InvalidInput('malformed'), null, new Error('the store is away')];
    github.once(({ path }) => /deliveries\/\d+$/.test(path), refusal(404, 'Not Found'));
    const away: EventSink = {
      accept: async (event) => {
        const answer = answers.shift();
        if (answer) throw answer;
        return sink.accept(event);
      },
    };
    expect(await fails(ask(app(), Date.now() - HOUR, away))).toMatchObject({ message: 'the store is away' });
    expect(events.map(bodyOf)).toEqual(['good']);
  });
});

describe('what failed at GitHub while the server ran', () => {
  const watch = new GithubWatch();

  it('REC-5 is fetched once it has settled, and the cursor says how far was looked', async () => {
    await miss('settled');
    change(0, { delivered_at: ago(120_000) });
    await miss('taken');
    change(1, { delivered_at: ago(110_000), status_code: 200 });
    await miss('just now');
    const by = app();
    const page = await watch.poll(by, null, signal);
    expect([page.events.map(bodyOf), page.more]).toEqual([['settled'], false]);
    expect((await watch.poll(by, page.cursor, signal)).events).toEqual([]);
    github.door.aheadMs = 120_000;
    expect((await watch.poll(by, page.cursor, signal)).events.map(bodyOf)).toEqual(['just now']);
  });

  it('ING-8 REC-5 comes in pages, and leaves to the backfill what failed before the first look', async () => {
    for (let number = 0; number < 60; number++) {
      await miss(`${number}`);
      change(number, { delivered_at: ago(200_000 - number * 1000) });
    }
    change(0, { delivered_at: ago(HOUR) });
    const by = app();
    const first = await watch.poll(by, null, signal);
    const second = await watch.poll(by, first.cursor, signal);
    expect([first.more, second.more]).toEqual([true, false]);
    expect([...first.events, ...second.events].map(bodyOf)).toEqual(Array.from({ length: 59 }, (_, i) => String(i + 1)));
  });

  it('REC-5 stops nothing where it nests deeper than any server takes', async () => {
    const deep = '['.repeat(600) + ']'.repeat(600);
    await github.hook.deliver('repository_dispatch', { ...commented('x'), client_payload: JSON.parse(deep) as unknown });
    await miss('good');
    for (const index of [0, 1]) change(index, { delivered_at: ago(120_000) });
    expect((await watch.poll(app(), null, signal)).events.map(bodyOf)).toEqual(['good']);
  });

  it('REC-5 is asked of nobody where the connection has no webhook that can be asked', async () => {
    expect(watch.usedBy(connected(github))).toBe(false);
    const from = Number((await watch.poll(connected(github), null, signal)).cursor);
    expect(from).toBeLessThan(Date.now());
    expect(github.calls).toEqual([]);
  });
});
