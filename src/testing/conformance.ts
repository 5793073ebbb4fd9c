import type { PluginDefinition } from '../plugin/index.js';
import type { Check, Runner, Section } from './check.js';
import { backfillChecks } from './checks/backfill-checks.js';
import { controlChecks } from './checks/control-checks.js';
import { parserChecks } from './checks/parser-checks.js';
import { pluginChecks } from './checks/plugin-checks.js';
import { pollChecks } from './checks/poll-checks.js';
import { readChecks } from './checks/read-checks.js';
import { streamChecks } from './checks/stream-checks.js';
import { webhookChecks } from './checks/webhook-checks.js';
import { writeChecks } from './checks/write-checks.js';
import type { ProviderSamples } from './samples.js';
import { UnderTest } from './under-test.js';

/** What every provider must do of what this one has: the host relies on it, and on no more. */
export function conformanceChecks<Options extends object>(plugin: PluginDefinition<Options>, samples: ProviderSamples): readonly Check[] {
  const under = new UnderTest(plugin as unknown as PluginDefinition, samples);
  const receives = plugin.receives ?? ['webhook'];
  return [
    ...pluginChecks(under),
    ...(receives.includes('webhook') ? webhookChecks(under) : []),
    ...parserChecks(under),
    ...(samples.stream ? streamChecks(under, samples.stream) : []),
    ...(samples.poll ? pollChecks(under, samples.poll) : []),
    ...(samples.backfill ? backfillChecks(under, samples.backfill) : []),
    ...(samples.control ? controlChecks(under, samples.control) : []),
    ...(samples.writes ? writeChecks(under, samples.writes) : []),
    ...(samples.reads ? readChecks(under, samples.reads) : []),
  ];
}

/** Registers the checks with the test framework whose `describe` and `it` are given: jest, vitest, node:test, or another with these two. */
export function providerConformance<Options extends object>(
  { describe, it }: Runner,
  plugin: PluginDefinition<Options>,
  samples: ProviderSamples,
): void {
  const bySection = Map.groupBy(conformanceChecks(plugin, samples), ({ section }) => section);
  describe(`the plugin ${plugin.name}`, () => {
    for (const [section, checks] of bySection)
      describe(titleOf(section), () => {
        for (const check of checks) it(check.name, () => check.run());
      });
  });
}

const TITLES: Readonly<Record<Section, string>> = {
  plugin: 'the plugin itself',
  webhook: 'its webhooks',
  parser: 'its parser',
  stream: 'its stream',
  poll: 'its poller',
  backfill: 'its history',
  control: 'its control channel',
  writes: 'its writes',
  reads: 'its reads',
};

function titleOf(section: Section): string {
  return TITLES[section];
}
