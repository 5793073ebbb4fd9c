import assert from 'node:assert/strict';
import { PLUGIN_API_VERSION } from '../../plugin/index.js';
import type { Check } from '../check.js';
import type { UnderTest } from '../under-test.js';

export function pluginChecks(under: UnderTest): Check[] {
  const { plugin, samples } = under;
  return [
    {
      section: 'plugin',
      name: 'has a name, and speaks the API of this host',
      run: async () => {
        assert.match(plugin.name, /^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?$/);
        assert.equal(plugin.apiVersion, PLUGIN_API_VERSION);
      },
    },
    {
      section: 'plugin',
      name: 'takes the options of the samples',
      run: async () => {
        under.connection();
      },
    },
    {
      section: 'plugin',
      name: 'receives events in the ways that it says, and in no others',
      run: async () => {
        const { transports } = await under.provider();
        assert.deepEqual(transports.map(({ kind }) => kind).toSorted(), [...(plugin.receives ?? ['webhook'])].toSorted());
      },
    },
    {
      section: 'plugin',
      name: 'has samples of everything that it has',
      run: async () => {
        const { transports, control, tools = [] } = await under.provider();
        const sampled = samples.writes?.map(({ tool }) => tool) ?? [];
        assert(samples.events.length > 0, 'samples.events is needed');
        if (transports.some(({ kind }) => kind === 'webhook')) assert((samples.requests?.length ?? 0) > 1, 'samples.requests needs two');
        if (control) assert(samples.control, 'samples.control is needed');
        for (const { name } of tools) assert(sampled.includes(name), `samples.writes needs one of the tool ${name}`);
      },
    },
  ];
}
