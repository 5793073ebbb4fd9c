import { describe, it } from '@jest/globals';
import { ChaosProvider } from '../../../src/testing/host/index.js';
import { type ProviderSamples, providerConformance, type Stage } from '../../../src/testing/index.js';

interface ChaosStage extends Stage {
  readonly provider: ChaosProvider;
}

/** The plugin asks the one provider that it was made by, so every check has the same one. */
const provider = new ChaosProvider();
const said = provider.say('door', 'it squeaks');
const other = provider.say('window', 'it is open');
const event = (told: typeof said, kind: 'prompt' | 'lifecycle', state?: 'open' | 'terminal') => ({
  ...{ name: `${told.thing} ${told.action}`, eventKey: `thing.${told.action}`, payload: told, kind, about: told.thing },
  ...(state && { state }),
});
const request = (told: typeof said) => ({ name: told.id, deliveryId: told.id, ...provider.request(told) });

const samples: ProviderSamples<ChaosStage> = {
  secrets: [provider.connection.secret],
  requests: [request(said), { ...request(said), name: 'sent again', again: said.id }, request(other)],
  events: [
    event(said, 'prompt', 'open'),
    event(provider.close('door'), 'lifecycle', 'terminal'),
    event(provider.reopen('door'), 'lifecycle', 'open'),
    event(other, 'prompt'),
  ],
  stage: async () => ({
    ...{ provider, options: {}, now: () => Date.parse(said.at), close: async () => undefined },
    loseAnswer: () => void provider.once('write', 'lose'),
    refuse: () => void provider.once('write', 'refuse'),
  }),
  backfill: { happen: (_, number) => void provider.say('door', `message ${number}`) },
  writes: [
    {
      ...{ tool: 'chaos_write', input: { text: 'oiled' }, subject: provider.subject('door') },
      callback: ({ key }) => {
        const written = provider.writes.find((write) => write.key === key);
        if (!written) throw new Error(`nothing was written under ${key}`);
        return { eventKey: 'thing.said', payload: provider.callback(written) };
      },
    },
  ],
};

describe('the chaos provider of throughline/testing/host', () => {
  providerConformance({ describe, it }, provider.plugin, samples);
});
