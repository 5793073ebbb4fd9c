import { Injectable, Module } from '@nestjs/common';
import type { PluginDefinition, Provider } from 'throughline/plugin';
import { conformanceChecks, type ProviderSamples } from 'throughline/testing';

/** The plugin with another provider, made of its own. */
export function mutant<Options extends object>(
  plugin: PluginDefinition<Options>,
  change: (provider: Provider<Options>) => Partial<Provider<Options>>,
  definition: Partial<PluginDefinition<Options>> = {},
): PluginDefinition<Options> {
  class Mutant {
    constructor() {
      const own = new plugin.provider();
      Object.assign(this, change(own));
      Object.setPrototypeOf(this, own);
    }
  }
  Injectable()(Mutant);
  class MutantModule {}
  Module({ providers: [Mutant], exports: [Mutant] })(MutantModule);
  return { ...plugin, ...definition, module: MutantModule, provider: Mutant as unknown as PluginDefinition<Options>['provider'] };
}

/** The same thing with some of it replaced; its methods see the replacements. */
export function but<Thing extends object>(thing: Thing, replaced: Partial<Thing>): Thing {
  return Object.assign(Object.create(thing) as Thing, replaced);
}

/** The names of the checks that a plugin does not pass, in order. */
export async function failuresOf<Options extends object>(plugin: PluginDefinition<Options>, samples: ProviderSamples): Promise<string[]> {
  const failures: string[] = [];
  for (const { section, name, run } of conformanceChecks(plugin, samples)) await run().catch(() => failures.push(`${section}: ${name}`));
  return failures;
}
