import assert from 'node:assert/strict';
import type { Connection, Page, PollTransport, Provider } from '../../plugin/index.js';
import { assertSame } from '../assert-same.js';
import type { Check } from '../check.js';
import type { SampleSource, Stage } from '../samples.js';
import type { UnderTest } from '../under-test.js';
import { assertTellable, idsOf, settles, within } from './told-events.js';

const MOST_EVENTS = 1_000;
const LONGEST_CURSOR = 65_536;
const MOST_PAGES = 20;

/** A poller, its connection, and the provider that it asks. */
interface Scene {
  readonly connection: Connection;
  readonly provider: Provider;
  readonly stage: Stage;
  ask(cursor: string | null): Promise<Page>;
  /** However long it takes. */
  poll(signal: AbortSignal): Promise<Page>;
}

export function pollChecks(under: UnderTest, sample: SampleSource): Check[] {
  const check = (name: string, run: (scene: Scene) => Promise<void>): Check => ({
    section: 'poll',
    name,
    run: async () => {
      const provider = await under.provider();
      const poll = provider.transports.find((transport) => transport.kind === 'poll');
      assert(poll, 'the plugin is to be polled, and its provider has no poller');
      await under.onStage((connection, stage) => run(sceneOf(under, poll, provider, connection, stage)));
    },
  });
  const happen = async ({ stage }: Scene) => {
    for (const number of [1, 2, 3]) await sample.happen(stage, number);
  };
  return [
    check('tells each thing that happened once, under an id of its own', async (scene) => {
      const { cursor } = await scene.ask(null);
      await happen(scene);
      const pages = await pagesFrom(scene, cursor);
      const events = pages.flatMap((page) => page.events);
      assert(events.length >= 3, `three things happened, and ${events.length} events are told`);
      assertTellable(events, scene.provider, scene.connection);
      assert.equal(new Set(idsOf(events)).size, events.length, `several events have one id: ${idsOf(events).join(', ')}`);
      await sample.happen(scene.stage, 4);
      const next = await pagesFrom(scene, pages.at(-1)?.cursor ?? cursor);
      const told = new Set(idsOf(events));
      const again = next.flatMap((page) => idsOf(page.events)).filter((id) => told.has(id));
      assertSame(again, [], 'what was told is told again from the cursor after it');
    }),
    check('reads the same page again from the same cursor', async (scene) => {
      const { cursor } = await scene.ask(null);
      await happen(scene);
      const [page, again] = [await scene.ask(cursor), await scene.ask(cursor)];
      assertSame(idsOf(again.events), idsOf(page.events), 'the host may have lost a page; asked for again, it tells something else');
    }),
    check('ends when it is told to', async (scene) => {
      await settles(scene.poll(AbortSignal.abort()), 'the poller went on after it was told to end', under.samples.patienceMs);
    }),
  ];
}

function sceneOf(under: UnderTest, poll: PollTransport, provider: Provider, connection: Connection, stage: Stage): Scene {
  assert.notEqual(poll.usedBy?.(connection), false, 'the stage’s connection must be one that is polled');
  const { patienceMs } = under.samples;
  const ask: Scene['ask'] = async (cursor) => {
    const page = await within(poll.poll(connection, cursor, new AbortController().signal), 'the poller did not answer', patienceMs);
    assert(page.events.length <= MOST_EVENTS, `a page holds at most ${MOST_EVENTS} events`);
    assert(Buffer.byteLength(page.cursor) <= LONGEST_CURSOR, `a cursor has at most ${LONGEST_CURSOR} bytes`);
    return page;
  };
  return { connection, provider, stage, ask, poll: (signal) => poll.poll(connection, null, signal) };
}

/** One page, and those after it while it says that there are more. */
async function pagesFrom({ ask }: Scene, from: string): Promise<Page[]> {
  const pages = [await ask(from)];
  for (let page = pages[0]; page?.more === true; page = pages.at(-1)) {
    assert(pages.length < MOST_PAGES, `there is more after ${MOST_PAGES} pages, and three things happened`);
    pages.push(await ask(page.cursor));
  }
  return pages;
}
