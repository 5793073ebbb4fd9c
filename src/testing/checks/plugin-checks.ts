import assert from 'node:assert/strict';
import { PLUGIN_API_VERSION } from '../../plugin/index.js';
import { assertSame } from '../assert-same.js';
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
        const [has, says] = [transports.map(({ kind }) => kind), [...(plugin.receives ?? ['webhook'])]];
        assertSame(has.sort(), says.sort(), '`receives` and the transports of the provider differ');
      },
    },
    {
      section: 'plugin',
      name: 'has samples of everything that it has',
      run: async () => {
        const { transports, control, backfill, tools = [], reads = [] } = await under.provider();
        assert(samples.events.length > 0, 'samples.events is needed');
        for (const { kind } of transports) {
          if (kind === 'webhook') assert((samples.requests?.length ?? 0) > 1, 'samples.requests needs two');
          else assert(samples[kind], `samples.${kind} is needed`);
        }
        if (backfill) assert(samples.backfill, 'samples.backfill is needed');
        if (control) assert(samples.control, 'samples.control is needed');
        for (const { name } of tools) assertSampled(samples.writes, 'writes', name);
        for (const { name } of reads) assertSampled(samples.reads, 'reads', name);
      },
    },
  ];
}

function assertSampled(samples: readonly { readonly tool: string }[] | undefined, section: string, name: string): void {
  assert(
    samples?.some(({ tool }) => tool === name),
    `samples.${section} needs one of the tool ${name}`,
  );
}
