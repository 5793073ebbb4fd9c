import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eachDatabase } from '../databases.js';
import { DiscordStage } from './people/discord-stage.js';
import { Gates } from './people/gates.js';
import { GithubStage } from './people/github-stage.js';
import { House } from './people/house.js';
import { LinearStage } from './people/linear-stage.js';
import { SlackStage } from './people/slack-stage.js';
import type { Stage } from './people/stage.js';
import { WrongHands } from './people/wrong-hands.js';

const LONG_MS = 60_000;

eachDatabase('hands that should not decide', (make) => {
  const over = new AbortController();
  const told = new Map<string, Promise<readonly string[]>>();
  let stages: readonly Stage[] = [];
  let gates: Gates;
  let house: House;

  beforeAll(async () => {
    stages = await Promise.all([SlackStage.start(12), DiscordStage.start(13), LinearStage.start('delegated'), GithubStage.start(14)]);
    gates = await Gates.start();
    house = await House.open(await make(), stages, gates);
    const signal = AbortSignal.any([over.signal, AbortSignal.timeout(LONG_MS - 5_000)]);
    for (const stage of stages) {
      const story = new WrongHands(house, stage, gates, signal).tell();
      story.catch(() => undefined);
      told.set(stage.name, story);
    }
  }, LONG_MS);
  afterAll(async () => {
    over.abort();
    await house.remove();
    await gates.close();
    await Promise.all(stages.map((stage) => stage.stop()));
  });

  it.each([
    ['slack', ['executed', 'failed (altered)']],
    ['discord', ['executed', 'failed (altered)']],
    ['linear', ['executed', 'failed (altered)']],
    ['github', ['failed (altered)']],
  ])(
    'CTL-4 CTL-2 SIG-1 ACC-2 B68 at %s nothing is decided by forged, foreign, replayed and late words, and nothing is written that was altered',
    async (provider, ends) => {
      expect(await told.get(provider)).toEqual(ends);
      expect(stages.find(({ name }) => name === provider)?.written()).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'CTL-4 leaves a sound store in which nothing waits',
    async () => {
      await Promise.allSettled(told.values());
      expect(await house.end()).toEqual({ codes: [0], broken: [], open: [] });
    },
    LONG_MS,
  );
});
