import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emptyDatabase, type TestDatabase } from '../databases.js';
import { DiscordStage } from './people/discord-stage.js';
import { GithubStage } from './people/github-stage.js';
import { LinearStage } from './people/linear-stage.js';
import { Show, type ShowOptions } from './people/show.js';
import { SlackStage } from './people/slack-stage.js';
import { PAGE, shownOnPage, Walkthrough } from './people/walkthrough.js';

const LONG_MS = 240_000;
const DATABASES = ['sqlite', 'postgresql'] as const;
const PROVIDERS = ['slack', 'discord', 'linear', 'github'];
const EACH = DATABASES.flatMap((database) => PROVIDERS.map((provider) => [provider, database] as const));
const MOMENTS = 7;

/** Both databases at one time: most of it is waiting for what providers allow. */
function shown(isKilled: boolean, look?: ShowOptions['look']) {
  const shows = new Map<TestDatabase['name'], Show>();
  beforeAll(async () => {
    const opened = DATABASES.map(async (name) => {
      const linear = LinearStage.start(isKilled ? 'created' : 'delegated');
      const stages = await Promise.all([SlackStage.start(12), DiscordStage.start(13), linear, GithubStage.start(14)]);
      const isLookedAt = look !== undefined && name === 'sqlite';
      shows.set(name, await Show.open(await emptyDatabase(name), stages, { isKilled, ...(isLookedAt && { look }) }));
    });
    await Promise.all(opened);
  }, LONG_MS);
  afterAll(async () => {
    await Promise.all([...shows.values()].map((show) => show.close()));
  }, LONG_MS);
  return (name: TestDatabase['name']) => {
    const show = shows.get(name);
    if (!show) throw new Error(`nothing is shown on ${name}`);
    return show;
  };
}

const SOUND = { codes: [0], broken: [], open: [] };

describe('an issue, the thread of its conversation, and its people', () => {
  let walkthrough: Walkthrough | undefined;
  const show = shown(false, (house, stage) => {
    if (!(stage instanceof SlackStage)) return undefined;
    walkthrough = new Walkthrough(house, stage);
    return walkthrough.look;
  });

  it.each(EACH)(
    'TRN-8 CTL-1 CTL-3 CTL-4 CTL-5 EFF-2 EFF-3 %s on %s: what the agent says is shown and answered, what it asks is allowed and written once, and the end closes all',
    async (provider, database) => {
      const story = await show(database).stories.get(provider);
      // One process of the agent has done all turns.
      expect(story?.notes).toEqual(['new']);
    },
    LONG_MS,
  );

  it(
    `is what ${PAGE} shows`,
    async () => {
      await show('sqlite').stories.get('slack');
      expect(shownOnPage(walkthrough?.seen ?? [])).toEqual(walkthrough?.seen);
    },
    LONG_MS,
  );

  it.each(DATABASES)(
    'leaves a sound store in which nothing waits, on %s',
    async (database) => {
      expect(await show(database).end()).toEqual(SOUND);
    },
    LONG_MS,
  );
});

describe('the same with the server killed in the middle of each step', () => {
  const show = shown(true);

  it.each(EACH)(
    'REC-3 CTL-1 CTL-4 EFF-4 EFF-7 %s on %s: there is one thread, one of each message, one write and one session, and nothing is lost',
    async (provider, database) => {
      const story = await show(database).stories.get(provider);
      expect(story?.notes.filter((note) => note === 'load').length).toBeGreaterThan(0);
      expect(show(database).kills).toBe(MOMENTS);
    },
    LONG_MS,
  );

  it.each(DATABASES)(
    'REC-1 leaves a sound store in which nothing waits, on %s',
    async (database) => {
      expect(await show(database).end()).toEqual(SOUND);
    },
    LONG_MS,
  );
});

describe('two replicas on one PostgreSQL', () => {
  it(
    'CTL-1 REC-2 ING-3 get every event at one time, and make one thread, one of each message and one write',
    async () => {
      const stages = [await SlackStage.start(12)];
      const show = await Show.open(await emptyDatabase('postgresql'), stages, { replicas: 2 });
      try {
        await show.stories.get('slack');
        expect(await show.end()).toEqual({ ...SOUND, codes: [0, 0] });
      } finally {
        await show.close();
      }
    },
    LONG_MS,
  );
});
